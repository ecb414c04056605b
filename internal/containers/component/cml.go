package component

import (
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"vkloader/internal/decide/wording"
)

// strict converts a .cml file, the source of a component manifest on Fuchsia, from JSON5 to JSON. It accepts comments,
// names without quotation marks, strings in single ones, and commas before a closing bracket. tailscale/hujson reads
// only the comments and the commas of these.
func strict(text []byte) ([]byte, error) {
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); {
		rest := text[i:]
		switch c := rest[0]; {
		case c == '"' || c == '\'':
			quoted, length, err := quote(rest)
			if err != nil {
				return nil, err
			}
			out = append(out, quoted...)
			i += length
		case c == '/':
			length, err := comment(rest)
			if err != nil {
				return nil, err
			}
			i += length
		case c == '}' || c == ']':
			if end := len(strings.TrimRight(string(out), " \t\r\n")); end > 0 && out[end-1] == ',' {
				out = out[:end-1]
			}
			out = append(out, c)
			i++
		case isNameByte(c) && (c < '0' || c > '9'):
			length := 1
			for length < len(rest) && isNameByte(rest[length]) {
				length++
			}
			name := string(rest[:length])
			if !slices.Contains([]string{"true", "false", "null"}, name) {
				name = `"` + name + `"`
			}
			out = append(out, name...)
			i += length
		default:
			out = append(out, c)
			i++
		}
	}
	return out, nil
}

func isNameByte(c byte) bool {
	return c == '_' || c == '$' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
}

// quote converts the string at the start of a text to JSON, and returns its length in the text.
func quote(text []byte) (quoted []byte, length int, err error) {
	end := text[0]
	quoted = append(quoted, '"')
	for i := 1; i < len(text); i++ {
		switch c := text[i]; {
		case c == end:
			return append(quoted, '"'), i + 1, nil
		case c == '\\' && i+1 < len(text):
			i++
			if text[i] != '\'' {
				quoted = append(quoted, '\\')
			}
			quoted = append(quoted, text[i])
		case c == '"':
			quoted = append(quoted, '\\', '"')
		default:
			quoted = append(quoted, c)
		}
	}
	return nil, 0, errors.New("a string without an end")
}

// comment returns the length of the comment at the start of a text.
func comment(text []byte) (int, error) {
	rest := string(text)
	switch {
	case strings.HasPrefix(rest, "//"):
		if end := strings.IndexByte(rest, '\n'); end >= 0 {
			return end, nil
		}
		return len(rest), nil
	case strings.HasPrefix(rest, "/*"):
		if end := strings.Index(rest[2:], "*/"); end >= 0 {
			return end + 4, nil
		}
		return 0, errors.New("a comment without an end")
	}
	return 0, errors.New("a slash that begins no comment")
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
