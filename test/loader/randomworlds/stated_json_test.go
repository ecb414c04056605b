package randomworlds

import (
	"bytes"
	"encoding/json"
	"strings"
)

// value is a JSON value whose members keep their order.
type value struct {
	kind    byte // o, a, s, n, t, f, z (null)
	text    string
	members []member
	items   []*value
}

type member struct {
	name string
	*value
}

// parseJSON parses the first value of a text. It returns nil if there is none (LAY-9, LAY-13, LAY-14).
func parseJSON(text string) *value {
	decoder := json.NewDecoder(strings.NewReader(strings.TrimPrefix(text, "\xef\xbb\xbf")))
	var first json.RawMessage
	if decoder.Decode(&first) != nil {
		return nil
	}
	decoder = json.NewDecoder(bytes.NewReader(first))
	decoder.UseNumber()
	return readJSON(decoder)
}

func readJSON(d *json.Decoder) *value {
	token, err := d.Token()
	if err != nil {
		return nil
	}
	switch t := token.(type) {
	case json.Delim:
		v := &value{kind: 'a'}
		for d.More() {
			if t == '[' {
				v.items = append(v.items, readJSON(d))
				continue
			}
			name, err := d.Token()
			if err != nil {
				return nil
			}
			v.members = append(v.members, member{name.(string), readJSON(d)})
		}
		if t == '{' {
			v.kind = 'o'
		}
		if _, err := d.Token(); err != nil {
			return nil
		}
		return v
	case string:
		return &value{kind: 's', text: t}
	case json.Number:
		return &value{kind: 'n', text: t.String()}
	case bool:
		if t {
			return &value{kind: 't'}
		}
		return &value{kind: 'f'}
	}
	return &value{kind: 'z'}
}

// get returns the first member with a name, ignoring case, or nil (LAY-11, LAY-12).
func (v *value) get(name string) *value {
	if v == nil || v.kind != 'o' {
		return nil
	}
	for _, m := range v.members {
		if strings.EqualFold(m.name, name) {
			return m.value
		}
	}
	return nil
}

// str returns a member that is a string.
func (v *value) str(name string) (string, bool) {
	m := v.get(name)
	if m == nil || m.kind != 's' {
		return "", false
	}
	return m.text, true
}

// strs returns the strings of a member that is an array.
func (v *value) strs(name string) (texts []string) {
	m := v.get(name)
	if m == nil || m.kind != 'a' {
		return nil
	}
	for _, item := range m.items {
		if item.kind == 's' {
			texts = append(texts, item.text)
		}
	}
	return texts
}
