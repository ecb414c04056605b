package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/term"

	"github.com/spf13/cobra"
)

func newVersion(s *surroundings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "version",
		Short: "The versions of the tool and of the library with it",
		Args:  cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			answer := struct {
				Schema  int    `json:"schema"`
				Library string `json:"library"` // path of the real file
				Vulkan  string `json:"vulkan"`  // version of the registry that the library was made from
				Core    string `json:"core"`    // id of the core beside it
				Go      string `json:"go"`
			}{Schema: 1, Go: runtime.Version()}
			if _, err := s.thisMachine("version"); err != nil {
				return err
			}
			found, err := probe.Find(s.executable, "")
			if err != nil {
				return exit.As(exit.NotLooked, err)
			}
			if answer.Library, err = filepath.EvalSymlinks(found.Library); err != nil {
				return exit.Unable("library %s: %w", found.Library, err)
			}
			answer.Vulkan = strings.TrimPrefix(filepath.Base(answer.Library), "libvulkan.so.")
			answer.Core = coreBeside(answer.Library)
			if asJSON {
				return writeJSON(s, answer)
			}
			fmt.Fprintf(s.out, "vkloader for Vulkan %s (core %s, %s)\nlibrary %s\n",
				answer.Vulkan, term.Or(answer.Core, "missing"), answer.Go, answer.Library)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (schema 1)")
	return cmd
}

// coreBeside gives the id of the core in the library's folder.
func coreBeside(library string) string {
	entries, err := os.ReadDir(filepath.Dir(library))
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if id, ok := strings.CutPrefix(e.Name(), "libvkcore-"); ok && strings.HasSuffix(id, ".so") {
			return strings.TrimSuffix(id, ".so")
		}
	}
	return ""
}

func writeJSON(s *surroundings, value any) error {
	if s.answered != nil {
		s.answered(value)
	}
	text, err := encodeJSON(value)
	if err == nil {
		_, err = io.WriteString(s.out, text)
	}
	return err
}

// encodeJSON is JSON for people to read as well: indented, and without escapes for HTML's sake.
func encodeJSON(value any) (string, error) {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(value)
	return text.String(), err
}
