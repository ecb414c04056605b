package cli

import (
	"bytes"
	"fmt"
	"strings"

	"vkloader/internal/decide"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// leastMessage is the least length of a text that is looked for in libraries. Shorter texts occur by chance.
const leastMessage = 8

// writersOf returns the drivers and layers in use whose libraries contain a message that a user saw on a terminal. A program may
// have written words before it, up to a colon.
func writersOf(about *subject, in []explain.Item, message string) (list []survey.Writer) {
	linker := loaders.Linker(about.source, "")
	present := drivers.GPUs(&about.source.Machine)
	for text := strings.TrimSpace(message); len(text) >= leastMessage && len(list) == 0; {
		for i := range in {
			e := &in[i]
			found := linker.Find(e.Library)
			if e.Library == "" || found.File == nil || found.File.Err() != nil {
				continue
			}
			if data, err := about.source.ReadLarge(found.File.Path); err == nil && bytes.Contains(data, []byte(text)) {
				list = append(list, survey.Writer{Message: text, Kind: e.Kind, Name: e.Name, Library: found.File.Path,
					Harmless: e.Kind == explain.Drivers.One && decide.DeviceAbsent(drivers.Of(e.Library), present)})
			}
		}
		_, rest, more := strings.Cut(text, ":")
		if !more {
			break
		}
		text = strings.TrimSpace(rest)
	}
	return list
}

// printWriters prints the drivers and layers that write a message.
func printWriters(s *invocation, list []survey.Writer) {
	style := term.StyleFor(s.out, s.getenv)
	for _, w := range list {
		text := fmt.Sprintf("The %s %s writes %q: its library %s contains this text.", w.Kind, w.Name, w.Message, w.Library)
		if w.Harmless {
			text += " The driver has no device here, so the line is harmless: programs use other drivers."
		}
		style.Lines(s.out, "", nil, text)
	}
}
