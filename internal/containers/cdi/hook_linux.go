package cdi

import (
	"strings"

	specs "tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/decide/machine"
)

// hookSeconds is the runtime's time limit for the hook.
const hookSeconds = 30

// interpreter starts the tool; if the tool is missing, the container starts without it.
const interpreter = "/bin/sh"

// guarded is the shell's command; its arguments are the tool's path and the tool's arguments.
const guarded = `test -x "$0" && exec "$0" "$@"; echo "vkloader: no drivers for the container: $0 is gone. Install it again, or remove the CDI file" >&2`

// newHook returns the hook that the runtime starts when it creates a container.
func newHook(m *machine.Machine, options Options) *specs.Hook {
	timeout := hookSeconds
	h := &specs.Hook{HookName: "createContainer", Path: options.Hook, Args: []string{"vkloader", "cdi", "hook"},
		Timeout: &timeout}
	if m.Exists(interpreter) {
		h.Path, h.Args = interpreter, []string{"sh", "-c", guarded, options.Hook, "cdi", "hook"}
	}
	for _, word := range options.Given {
		h.Args = append(h.Args, "--given", word)
	}
	return h
}

// words returns the arguments after "cdi hook" in a hook of this tool; nil: the hook is another tool's.
func words(h *specs.Hook) []string {
	at := 1
	if len(h.Args) > 3 && h.Args[2] == guarded {
		at = 4
	}
	if len(h.Args) < at+2 || h.Args[at] != "cdi" || h.Args[at+1] != "hook" {
		return nil
	}
	return append([]string{}, h.Args[at+2:]...)
}

// ours reports whether a hook is this tool's.
func ours(h *specs.Hook) bool { return words(h) != nil }

// program returns the path of the program that a hook starts.
func program(h *specs.Hook) string {
	if len(h.Args) > 3 && h.Args[2] == guarded {
		return h.Args[3]
	}
	return h.Path
}

// option returns the values of an option of this tool in a hook.
func option(h *specs.Hook, name string) (values []string) {
	list := words(h)
	for i := 0; i+1 < len(list); i++ {
		if list[i] == name {
			values = append(values, list[i+1])
		}
	}
	return values
}

// marks returns the descriptions of the mounted files, by path.
func marks(h *specs.Hook) map[string]string {
	found := map[string]string{}
	for _, value := range option(h, "--file") {
		if parts := strings.SplitN(value, " ", 3); len(parts) == 3 {
			found[parts[2]] = value
		}
	}
	return found
}

// Given returns the command line that wrote a file; nil: another tool wrote it.
func Given(spec *specs.Spec) []string {
	for _, e := range editsOf(spec) {
		for _, h := range e.Hooks {
			if ours(h) {
				return append([]string{}, option(h, "--given")...)
			}
		}
	}
	return nil
}
