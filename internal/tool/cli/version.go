package cli

import (
	"cmp"
	"fmt"
	"path/filepath"
	"runtime"

	"github.com/spf13/cobra"

	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// release is vkloader's version. The build sets it (-X vkloader/internal/tool/cli.release=...).
var release = "unreleased"

// versions is the output of version.
type versions struct {
	Schema  int    `json:"schema"`
	Release string `json:"release"` // of the tool
	Library string `json:"library"` // path with symbolic links resolved
	Is      string `json:"is"`      // release in the library's note; "": none
	Vulkan  string `json:"vulkan"`  // the registry version from which the library was generated
	Go      string `json:"go"`
}

func newVersion(s *invocation) *cobra.Command {
	var out output
	return newCommand("version", &out, versionSchema, func([]string) error {
		answer, err := versionsOf(s)
		if err != nil {
			return err
		}
		return out.print(s, answer, func() {
			fmt.Fprintf(s.out, "vkloader %s (%s)\nlibrary %s, %s, for Vulkan %s\n", answer.Release, answer.Go,
				answer.Library, term.Or(answer.Is, "not of vkloader"), answer.Vulkan)
		})
	})
}

func versionsOf(s *invocation) (versions, error) {
	answer := versions{Schema: versionSchema, Release: release, Go: runtime.Version()}
	if _, err := s.thisMachine("version"); err != nil {
		return answer, err
	}
	found, err := probe.Library(s.executable)
	if err != nil {
		return answer, exit.As(exit.NotLooked, err)
	}
	if answer.Library, err = filepath.EvalSymlinks(found); err != nil {
		return answer, exit.Unable("library %s: %w", found, err)
	}
	l := cmp.Or(loaderAt(&machine.Source{}, answer.Library), &loaders.Loader{})
	answer.Is, answer.Vulkan = l.Release, l.Version
	return answer, nil
}
