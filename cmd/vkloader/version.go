package main

import (
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"runtime"
	"strings"

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
				Go      string `json:"go"`
			}{Schema: 2, Go: runtime.Version()}
			if _, err := s.thisMachine("version"); err != nil {
				return err
			}
			found, err := findLayout(s.executable, "")
			if err != nil {
				return &exitError{exitBlind, err}
			}
			if answer.Library, err = filepath.EvalSymlinks(found.library); err != nil {
				return blind("library %s: %w", found.library, err)
			}
			answer.Vulkan = strings.TrimPrefix(filepath.Base(answer.Library), "libvulkan.so.")
			if asJSON {
				return writeJSON(s, answer)
			}
			fmt.Fprintf(s.out, "vkloader for Vulkan %s (%s)\nlibrary %s\n", answer.Vulkan, answer.Go, answer.Library)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, "print JSON (schema 2)")
	return cmd
}

func orNone(s string) string {
	if s == "" {
		return "missing"
	}
	return s
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
