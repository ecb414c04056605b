package component

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"

	"vkloader/internal/decide/wording"
)

// token matches the strings of a .cml file, its comments, its colons, and a slash that begins no comment.
const token = `"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*'|//[^\n]*|/\*(?s:.*?)\*/|[/:]`

// strict converts a .cml file, the source of a component manifest on Fuchsia, from JSON5 to JSON. Without its comments,
// it is YAML in flow style: names without quotation marks, strings in single ones, commas before a closing bracket.
func strict(text []byte) ([]byte, error) {
	if json.Valid(text) {
		return text, nil
	}
	stray := false
	plain := regexp.MustCompile(token).ReplaceAllFunc(text, func(found []byte) []byte {
		switch {
		case found[0] == ':': // YAML wants a space behind it
			return []byte(": ")
		case found[0] != '/':
			return found
		}
		stray = stray || len(found) == 1
		return []byte(" ")
	})
	if stray {
		return nil, errors.New("a slash that begins no comment, or a comment without an end")
	}
	var value any
	if err := yaml.Unmarshal(plain, &value); err != nil {
		_, what, _ := strings.Cut(strings.ReplaceAll(err.Error(), "unmarshal errors:\n  ", ""), ": ")
		return nil, fmt.Errorf("not JSON5: %s", what)
	}
	text, err := json.Marshal(value)
	if err != nil {
		err = errors.New("it has a name or a value that JSON does not have")
	}
	return text, err
}

// exposure is a directory that a component manifest exposes.
type exposure struct {
	Path   string
	Rights []string
}

// packageRoot is where a component sees its own package.
const packageRoot = "/pkg"

// exposures reads the lists "capabilities" and "expose" of a .cml file. A component exposes a directory under the same
// or another name, all of it or a directory in it.
func exposures(capabilities, expose json.RawMessage) (map[string]exposure, error) {
	type entry struct {
		Directory string   `json:"directory"`
		Path      string   `json:"path"`
		From      string   `json:"from"`
		As        string   `json:"as"`
		Subdir    string   `json:"subdir"`
		Rights    []string `json:"rights"`
	}
	var have, want []entry
	if len(capabilities) > 0 {
		if err := wording.Malformed(capabilities, json.Unmarshal(capabilities, &have)); err != nil {
			return nil, fmt.Errorf("capabilities: %w", err)
		}
	}
	if err := wording.Malformed(expose, json.Unmarshal(expose, &want)); err != nil {
		return nil, fmt.Errorf("expose: %w", err)
	}
	own := map[string]string{}
	for _, c := range have {
		below, inside := strings.CutPrefix(c.Path, packageRoot)
		if c.Directory == "" {
			continue // another kind of capability
		}
		if !inside || below != "" && below[0] != '/' {
			return nil, fmt.Errorf("the directory %q is at %q, not in %s", c.Directory, c.Path, packageRoot)
		}
		own[c.Directory] = path.Clean("." + below)
	}
	out := map[string]exposure{}
	for _, e := range want {
		at, there := own[e.Directory]
		if e.Directory == "" || e.From != "self" || !there {
			continue
		}
		if path.IsAbs(e.Subdir) {
			return nil, fmt.Errorf("the subdir %q of %q is absolute", e.Subdir, e.Directory)
		}
		name := e.Directory
		if e.As != "" {
			name = e.As
		}
		out[name] = exposure{Path: at + "/" + e.Subdir, Rights: e.Rights}
	}
	return out, nil
}
