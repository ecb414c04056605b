package cli

import (
	"bytes"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
)

// listener passes a program's standard error on. It keeps the end, with the last lines of a layer, a driver or the
// program, and records which texts have occurred.
type listener struct {
	to    io.Writer
	mu    sync.Mutex
	end   []byte
	heard map[string]bool
}

// maxEnd is the length of the kept end, maxLastLine that of a line, and mostLastLines the number of lines in a
// verdict.
const (
	maxEnd        = 1 << 14
	maxLastLine   = 1 << 10
	mostLastLines = 3
)

func (l *listener) Write(p []byte) (int, error) {
	l.mu.Lock()
	l.end = append(l.end, p...)
	for text, heard := range l.heard {
		l.heard[text] = heard || text != "" && bytes.Contains(l.end, []byte(text))
	}
	l.end = l.end[max(0, len(l.end)-maxEnd):]
	l.mu.Unlock()
	return l.to.Write(p)
}

// has reports whether a text has occurred.
func (l *listener) has(text string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.heard[text]
}

// symbolError and libraryError are the dynamic linker's messages when it ends a program, of glibc and musl.
var (
	symbolError = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(
			`(?m)(?:(?:^|: )(?:symbol lookup|relocation) error:|^Error relocating) (.+?): ` +
				`(?:undefined symbol: |symbol )?([^\s,:]+)`)
	})
	libraryError = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(?m): error while loading shared libraries: |^Error loading shared library `)
	})
)

// linkerError reports whether the dynamic linker wrote that it ends a program, and returns the file whose symbol it
// does not find, and the symbol; "": it is about a library.
func (l *listener) linkerError() (file, symbol string, is bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if found := symbolError().FindSubmatch(l.end); found != nil {
		return string(found[1]), string(found[2]), true
	}
	return "", "", libraryError().Match(l.end)
}

// lastLines returns the last different lines that are not empty, up to mostLastLines.
func (l *listener) lastLines() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	var lines []string
	for line := range strings.Lines(string(l.end)) {
		if line = strings.TrimSpace(line); line != "" {
			line = line[:min(len(line), maxLastLine)]
			lines = slices.DeleteFunc(lines, func(earlier string) bool { return earlier == line })
			lines = append(lines, line)
		}
	}
	return strings.Join(lines[max(0, len(lines)-mostLastLines):], "\n")
}
