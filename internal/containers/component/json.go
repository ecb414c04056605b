package component

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"vkloader/internal/decide/wording"
)

// member is a member of a JSON object.
type member struct {
	name  string
	value json.RawMessage
}

// object is a JSON object with ordered members; the last member of a name counts (PRO-022).
type object struct {
	members []member
	doubled []string // names that came more than once
}

var errNoObject = errors.New("not a JSON object")

// parseObject reads a JSON object. It refuses text that is no JSON by RFC 8259.
func parseObject(text []byte) (*object, error) {
	if !json.Valid(text) {
		return nil, fmt.Errorf("not JSON: %w", wording.Malformed(text, json.Unmarshal(text, new(any))))
	}
	d := json.NewDecoder(bytes.NewReader(text))
	if first, err := d.Token(); err != nil || first != json.Delim('{') {
		return nil, errNoObject
	}
	o := &object{}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		key, _ := name.(string) // the decoder returns only strings as member names
		if at := o.at(key); at >= 0 {
			o.members = slices.Delete(o.members, at, at+1)
			o.doubled = append(o.doubled, key)
		}
		o.members = append(o.members, member{key, value})
	}
	return o, nil
}

func (o *object) at(name string) int {
	return slices.IndexFunc(o.members, func(m member) bool { return m.name == name })
}

func (o *object) value(name string) (json.RawMessage, error) {
	at := o.at(name)
	if at < 0 {
		return nil, fmt.Errorf("it has no %q", name)
	}
	return o.members[at].value, nil
}

// text returns a member that must be a string.
func (o *object) text(name string) (string, error) {
	value, err := o.value(name)
	if err != nil {
		return "", err
	}
	var s string
	if value[0] != '"' || json.Unmarshal(value, &s) != nil {
		return "", fmt.Errorf("%q is no string", name)
	}
	return s, nil
}

// object returns a member that must be an object.
func (o *object) object(name string) (*object, error) {
	value, err := o.value(name)
	if err != nil {
		return nil, err
	}
	inner, err := parseObject(value)
	if err != nil {
		return nil, fmt.Errorf("%q: %w", name, err)
	}
	return inner, nil
}

// set changes an existing member.
func (o *object) set(name string, value any) error {
	encoded, err := encode(value)
	if err == nil {
		o.members[o.at(name)].value = encoded
	}
	return err
}

// encode is json.Marshal without the escapes for HTML.
func encode(value any) ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	err := e.Encode(value)
	return bytes.TrimSpace(b.Bytes()), err
}

// MarshalJSON implements json.Marshaler.
func (o *object) MarshalJSON() ([]byte, error) {
	var b strings.Builder
	b.WriteByte('{')
	for i, m := range o.members {
		if i > 0 {
			b.WriteByte(',')
		}
		name, err := encode(m.name)
		if err != nil {
			return nil, err
		}
		b.Write(name)
		b.WriteByte(':')
		b.Write(m.value)
	}
	b.WriteByte('}')
	return []byte(b.String()), nil
}
