package systems

import (
	"bytes"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"vkloader/internal/core/facts"
)

// Registry has the keys and values of registry files. Their names are compared without regard to case.
type Registry struct {
	keys map[string]*registryKey // by path, in small letters
}

type registryKey struct {
	path   string
	values []facts.Value
}

// RegistryProblem is an invalid line.
type RegistryProblem struct {
	File string
	Line int
	What string
}

func (p RegistryProblem) String() string { return fmt.Sprintf("%s:%d: %s", p.File, p.Line, p.What) }

// Values returns the values of a key, in the order of the files; false if there is no such key.
func (r *Registry) Values(path string) ([]facts.Value, bool) {
	k := r.keys[strings.ToLower(path)]
	if k == nil {
		return nil, false
	}
	return k.values, true
}

// Below returns the names of the keys directly below a key, sorted.
func (r *Registry) Below(path string) (names []string) {
	prefix := strings.ToLower(path) + `\`
	for small, k := range r.keys {
		if strings.HasPrefix(small, prefix) {
			name, _, _ := strings.Cut(k.path[len(prefix):], `\`)
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// hive returns the full name of a root key from its name or short name; false if there is no such root.
func hive(name string) (full string, ok bool) {
	switch name = strings.ToUpper(name); name {
	case "HKLM":
		return "HKEY_LOCAL_MACHINE", true
	case "HKCU":
		return "HKEY_CURRENT_USER", true
	case "HKEY_LOCAL_MACHINE", "HKEY_CURRENT_USER", "HKEY_CLASSES_ROOT", "HKEY_USERS", "HKEY_CURRENT_CONFIG":
		return name, true
	}
	return "", false
}

// Read adds the content of a file; a later value replaces an earlier one. file names the file in problems.
func (r *Registry) Read(file string, content []byte) (problems []RegistryProblem) {
	if r.keys == nil {
		r.keys = map[string]*registryKey{}
	}
	text, ok := decodeRegistry(content)
	if !ok {
		return []RegistryProblem{{file, 1, "neither UTF-8 nor UTF-16"}}
	}
	p := registryParser{r: r}
	lines := strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n")
	begun := false
	for i := 0; i < len(lines); i++ {
		number, line := i+1, strings.TrimSpace(lines[i])
		if line == "" || line[0] == ';' {
			continue
		}
		if !begun {
			begun = true
			if line == "Windows Registry Editor Version 5.00" {
				continue
			}
			problems = append(problems, RegistryProblem{file, number,
				`the first line is not "Windows Registry Editor Version 5.00"`})
			if line[0] != '[' {
				continue
			}
		}
		for strings.HasSuffix(line, `\`) && line[0] != '[' && i+1 < len(lines) {
			i++
			line = strings.TrimSuffix(line, `\`) + strings.TrimSpace(lines[i])
		}
		if what := p.line(line); what != "" {
			problems = append(problems, RegistryProblem{file, number, what})
		}
	}
	return problems
}

// decodeRegistry decodes a file: UTF-16 with a byte order mark, otherwise UTF-8 with or without one.
func decodeRegistry(content []byte) (string, bool) {
	if text, ok := bytes.CutPrefix(content, []byte("\xff\xfe")); ok {
		return wide(text), len(text)%2 == 0
	}
	content = bytes.TrimPrefix(content, []byte("\xef\xbb\xbf"))
	return string(content), utf8.Valid(content) && !slices.Contains(content, 0)
}

func wide(b []byte) string {
	units := make([]uint16, len(b)/2)
	_, _ = binary.Decode(b, binary.LittleEndian, units) // b is long enough
	return string(utf16.Decode(units))
}

type registryParser struct {
	r   *Registry
	at  *registryKey // nil: there is none, or it is invalid
	off bool         // skip values, because their key is invalid
}

// line reads a key or a value; it returns a message if the line is invalid, otherwise "".
func (p *registryParser) line(line string) string {
	if line[0] == '[' {
		return p.key(line)
	}
	name, rest, what := valueName(line)
	if what != "" {
		return what
	}
	if p.at == nil {
		if p.off {
			return ""
		}
		return "a value before the first key"
	}
	v := facts.Value{Name: name}
	if v.Type, v.Data, what = valueData(rest); what != "" {
		return what
	}
	for i := range p.at.values {
		if strings.EqualFold(p.at.values[i].Name, name) {
			p.at.values[i] = v
			return ""
		}
	}
	p.at.values = append(p.at.values, v)
	return ""
}

func (p *registryParser) key(line string) string {
	p.at, p.off = nil, true
	path, ok := strings.CutSuffix(line[1:], "]")
	if !ok {
		return "a key without its closing bracket"
	}
	root, rest, _ := strings.Cut(path, `\`)
	full, ok := hive(root)
	if !ok {
		return fmt.Sprintf("there is no hive %q", root)
	}
	path = strings.TrimRight(full+`\`+rest, `\`)
	small := strings.ToLower(path)
	if p.at = p.r.keys[small]; p.at == nil {
		p.at = &registryKey{path: path}
		p.r.keys[small] = p.at
	}
	return ""
}

// valueName splits a line into the name of a value and the rest.
func valueName(line string) (name, rest, what string) {
	if rest, ok := strings.CutPrefix(line, "@="); ok {
		return "", strings.TrimSpace(rest), ""
	}
	name, rest, ok := cutQuoted(line)
	rest, assigned := strings.CutPrefix(strings.TrimSpace(rest), "=")
	if !ok || !assigned {
		return "", "", `neither a key nor a value: "name"=data is wanted`
	}
	return name, strings.TrimSpace(rest), ""
}

// cutQuoted splits a quoted text from a line; a backslash escapes the next character.
func cutQuoted(line string) (text, rest string, ok bool) {
	if line == "" || line[0] != '"' {
		return "", line, false
	}
	var b strings.Builder
	for i := 1; i < len(line); i++ {
		switch {
		case line[i] == '"':
			return b.String(), line[i+1:], true
		case line[i] == '\\' && i+1 < len(line):
			i++
			fallthrough
		default:
			b.WriteByte(line[i])
		}
	}
	return "", line, false
}

// Types of values that the core does not use; package facts has the others.
const (
	regExpandSZ uint32 = 2
	regBinary   uint32 = 3
)

// valueData parses the text after the equals sign.
func valueData(text string) (kind uint32, data, what string) {
	if text != "" && text[0] == '"' {
		value, rest, ok := cutQuoted(text)
		if !ok || strings.TrimSpace(rest) != "" && strings.TrimSpace(rest)[0] != ';' {
			return 0, "", "a text without its closing quotation mark"
		}
		return facts.RegSZ, value + "\x00", ""
	}
	if digits, ok := strings.CutPrefix(text, "dword:"); ok {
		v, err := strconv.ParseUint(digits, 16, 32)
		if err != nil {
			return 0, "", fmt.Sprintf("%q is no hexadecimal number of 32 bits", digits)
		}
		return facts.RegDWORD, string(binary.LittleEndian.AppendUint32(nil, uint32(v))), ""
	}
	head, list, ok := strings.Cut(text, ":")
	kind = regBinary
	if digits, numbered := strings.CutPrefix(head, "hex("); ok && numbered {
		v, err := strconv.ParseUint(strings.TrimSuffix(digits, ")"), 16, 32)
		if err != nil || !strings.HasSuffix(digits, ")") {
			return 0, "", fmt.Sprintf("%q is no type", head)
		}
		kind = uint32(v)
	} else if !ok || head != "hex" {
		return 0, "", `the data is neither a text nor begins with "dword:" or "hex"`
	}
	content, err := hex.DecodeString(strings.NewReplacer(",", "", " ", "").Replace(list))
	if err != nil {
		return 0, "", "the data is no list of bytes"
	}
	if text := kind == facts.RegSZ || kind == regExpandSZ || kind == facts.RegMultiSZ; text {
		if len(content)%2 != 0 {
			return 0, "", "a text of half a character"
		}
		return kind, wide(content), ""
	}
	return kind, string(content), ""
}
