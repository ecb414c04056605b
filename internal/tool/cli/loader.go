package cli

import (
	"encoding/json"
	"fmt"
	"slices"

	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/term"
)

// decideFor makes what is asked about a program be decided as its loader does, and gives that loader: the one that a process has
// mapped, or the one that the dynamic linker finds.
func decideFor(about *subject) *loaders.Loader {
	if about.process != nil {
		if l := about.mapped(); l != nil {
			l.On(about.source)
			return l
		}
	}
	return loaders.Decide(about.source, about.plugin)
}

// staticOf tells whether the program is statically linked. A process that has mapped a loader has one.
func staticOf(about *subject) loaders.Static {
	if about.process != nil && about.mapped() != nil {
		return loaders.NotStatic
	}
	return loaders.StaticOf(loaders.Linker(about.source, about.plugin))
}

// loaderFile is the file of the loader that a program gets, for which its source then decides; "": this project's, or none.
func loaderFile(source *machine.Source) string {
	if l := loaders.Decide(source, ""); l != nil && !l.Ours() {
		return l.File
	}
	return ""
}

// printLoader says which loader it is decided for, where that is not this project's.
func printLoader(s *invocation, l *loaders.Loader, program string) {
	if l != nil && !l.Ours() {
		term.StyleFor(s.out, s.getenv).Lines(s.out, "", nil, loaders.Line(l, program)+".")
	}
}

// ignoredSettings says, for each of some programs, that its loader ignores the settings file or these fields of it; "" is a
// program that is started without more. Nothing is said of programs whose loader obeys, or has none that is known.
func ignoredSettings(s *invocation, programs, fields []string) (list []string) {
	if len(programs) == 0 {
		programs = []string{""}
	}
	for _, program := range programs {
		source, err := s.source(program, false)
		if err != nil {
			continue
		}
		l := loaders.For(source, loaders.Linker(source, ""), nil)
		if l == nil || len(l.Ignored(append([]string{loaders.SettingsFile}, fields...))) == 0 {
			continue
		}
		if said := l.NotInForce(program); !slices.Contains(list, said) {
			list = append(list, said)
		}
	}
	return list
}

// warnIgnored says so of what was written into a settings file.
func warnIgnored(s *invocation, programs []string, content map[string]any) {
	text, _ := json.Marshal(content) // what cannot be written was not written
	for _, said := range ignoredSettings(s, programs, loaders.FieldsIn(string(text))) {
		fmt.Fprintf(s.errOut, "vkloader: warning: this is %s\n", said)
	}
}
