package cli

import (
	"path/filepath"
	"strings"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/process"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/term"
)

// libraryPath is the variable that gives a program the tool's own loader.
const libraryPath = "DYLD_LIBRARY_PATH"

// bring returns the tool's own loader.
func bring(s *invocation) (probe.Companions, error) {
	library, err := probe.Library(s.executable)
	return probe.Companions{Library: library}, examineError(err)
}

// unfit returns warnings about variables that the program does not see.
func unfit(source *machine.Source, program, _ string) (warnings []string) {
	if rights := process.RightsOf(&source.Machine, source.Program); rights != "" {
		warnings = append(warnings, program+" runs with more rights than its user ("+string(rights)+
			"): it sees neither this library nor the variables")
	}
	if why := binary.Protected(&source.Machine, source.Program); why != "" {
		warnings = append(warnings, program+" "+why+": macOS removes "+libraryPath+
			", so it does not get this library by that variable")
	}
	return warnings
}

// commandLine returns a shell line that starts the program with the variables. It does not use env, which is one of the
// programs for which macOS removes DYLD_LIBRARY_PATH.
func commandLine(changes []explain.Change, args []string, _ shell.Line) shell.Line {
	var words []shell.Line
	unset := shell.Line("")
	for _, c := range changes {
		if c.Set {
			words = append(words, shell.Quoted(c.Variable)+"="+shell.Quoted(c.Value))
		} else {
			unset += " " + shell.Quoted(c.Variable)
		}
	}
	line := shell.Join(append(words, term.Words(args, shell.Quoted)...), " ")
	if unset != "" {
		line = "(unset" + unset + "; " + line + ")"
	}
	return line
}

func isSystemFile(file string) bool {
	return strings.HasPrefix(file, "/usr/lib/") || strings.HasPrefix(filepath.Clean(file), "/System/")
}
