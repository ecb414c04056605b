package cli

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/decide"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/run"
)

// loadersOf returns the program's loader in a search and its loader without the tool. used is nil if the dynamic linker
// finds none; other is also nil if both are the same file.
func loadersOf(source *machine.Source, usual []string) (used, other *loaders.Loader) {
	used = loaders.For(source, loaders.Linker(source, ""), nil)
	if usual == nil {
		return used, nil
	}
	plain := *source
	plain.Environ = usual
	other = loaders.For(&plain, loaders.Linker(&plain, ""), nil)
	if other == nil || used == nil || other.File == used.File {
		return used, nil
	}
	return used, other
}

// withUsual repeats the search with the program's loader without the tool. It returns nil if the program works with that
// loader, or if the program uses no loader.
func (h *hunt) withUsual(usual []string) (*run.CulpritSearch, error) {
	if h.other == nil || !h.usedLoader {
		return nil, nil
	}
	source := *h.scene.Source
	source.Environ, source.Kept = usual, nil
	h.other.On(&source)
	answer, err := decide.PlanFor(&source, hunted)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(h.talk, "vkloader: with %s, which the program gets without vkloader:\n", h.other.Title())
	before := h.scene
	h.scene = sceneOf(&source, answer, h.other)
	h.quiet = true
	found, err := run.FindCulprit(h.trial, h.suspects)
	if err == nil && found.Result == run.NothingToLeaveOut {
		found.Result = run.FailsWithLoader
	}
	if err != nil || found.Result == run.EndedWell {
		h.scene, h.quiet = before, false
		return nil, err
	}
	return found, nil
}

// lineFor returns a command line with which the program works. If the program's loader without the tool ignores a variable
// in it, the line runs the program through the tool.
func (h *hunt) lineFor(changes []run.Edit, args []string) string {
	ignored := h.other != nil && slices.ContainsFunc(changes, func(c run.Edit) bool { return c.Set && !h.other.Obeys(c.Name) })
	if ignored {
		args = append([]string{"vkloader", "run", "--"}, args...)
	}
	return commandLine(changes, args, " & ")
}

// runsWith returns a command line that runs the program with this loader.
func runsWith(args []string) string {
	return strings.TrimPrefix(commandLine(nil, append([]string{"vkloader", "run", "--"}, args...), " & "), "env ")
}
