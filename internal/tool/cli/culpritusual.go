package cli

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/decide"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/launch"
)

// loadersOf are the loader that the program gets in a search, and the one that it gets without the tool; nil where the dynamic
// linker finds none, and usual also where it is the same file.
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

// withUsual searches again, with the loader that the program gets without the tool. It gives nil where the program works with
// that one, too. A program that uses no loader is not started again.
func (h *hunt) withUsual(usual []string) (*launch.Verdict, error) {
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
	found, err := launch.FindCulprit(h.trial, h.suspects)
	if err == nil && found.Result == launch.NothingToLeaveOut {
		found.Result = launch.FailsWithLoader
	}
	if err != nil || found.Result == launch.EndedWell {
		h.scene, h.quiet = before, false
		return nil, err
	}
	return found, nil
}

// lineFor is a command line with which the program works: where the loader that the program gets without the tool ignores a
// variable in it, the tool starts the program.
func (h *hunt) lineFor(changes []launch.Change, args []string) string {
	ignored := h.other != nil && slices.ContainsFunc(changes, func(c launch.Change) bool { return c.Set && !h.other.Obeys(c.Name) })
	if ignored {
		args = append([]string{"vkloader", "run", "--"}, args...)
	}
	return commandLine(changes, args, " & ")
}

// runsWith is a command line that starts the program with this loader.
func runsWith(args []string) string {
	return strings.TrimPrefix(commandLine(nil, append([]string{"vkloader", "run", "--"}, args...), " & "), "env ")
}
