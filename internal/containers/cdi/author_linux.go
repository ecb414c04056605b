package cdi

import (
	"path/filepath"
	"slices"
	"strings"

	"tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/decide/shell"
)

// authors are the commands of other tools that write CDI files, by the vendor in the file's kind: NVIDIA's and AMD's
// container toolkits.
var authors = map[string]shell.Line{"nvidia.com": "nvidia-ctk cdi generate", "amd.com": "amd-ctk cdi generate"}

// Author returns the command that wrote a CDI file. For a file of an unknown tool, it returns "" and false.
func Author(spec *specs.Spec) (command shell.Line, known bool) {
	if Given(spec) != nil {
		return "vkloader cdi generate", true
	}
	vendor, _, _ := strings.Cut(spec.Kind, "/")
	command = authors[vendor]
	return command, command != ""
}

// regenerating returns advice to write a file again with the tool that wrote it. file is the file's name; "": unknown.
func regenerating(spec *specs.Spec, file string) shell.Line {
	command, known := Author(spec)
	switch {
	case known && file == "":
		return "Write the file again: " + command
	case known && Given(spec) != nil && slices.Contains(Directories, filepath.Dir(file)):
		return "Write the file again: vkloader cdi refresh"
	case known && Given(spec) != nil:
		return "Write the file again: vkloader cdi refresh --directory " + shell.Quoted(filepath.Dir(file))
	case known: // without the option, these programs write to standard output
		return "Write the file again: " + command + " --output=" + shell.Quoted(file)
	}
	return "Write the file again with the program that made the devices " + shell.Quoted(spec.Kind) + "."
}
