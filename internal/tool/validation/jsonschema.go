package validation

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"vkloader/internal/core/document"
)

// Schema is a schema, or a part of one.
type Schema struct {
	types      []string // names of types, one of which the value has; none: any
	enum       []string
	pattern    string
	matches    func(string) bool
	length     bounds // of a string, in characters
	value      bounds // of a number
	items      bounds // their number
	members    bounds // their number
	date       bool   // the string is a date and time
	element    *Schema
	required   []string
	properties map[string]*Schema // by the names in lower case
	names      []string           // of the properties, as they are written
	others     *Schema            // of members that are no properties
	oneOf      []*Schema
	condition  *Schema
	consequent *Schema
	reference  string
}

// bounds are the least and the largest value of what is counted.
type bounds struct {
	least, most       float64
	hasLeast, hasMost bool
}

// reader reads one schema.
type reader struct {
	defs map[string]*Schema
	all  []*Schema
}

// ReadSchema reads the text of a schema.
func ReadSchema(text string) (*Schema, error) {
	doc, fault := document.Parse(text)
	if fault != nil {
		return nil, fmt.Errorf("line %d: %s", fault.Line, fault.What)
	}
	r := reader{defs: map[string]*Schema{}}
	top := doc.Top()
	for d := top.Member("$defs").First(); d.Exists(); d = d.Next() {
		part, err := r.schema(d)
		if err != nil {
			return nil, err
		}
		r.defs["#/$defs/"+d.Name()] = part
	}
	whole, err := r.schema(top)
	if err != nil {
		return nil, err
	}
	for _, s := range r.all {
		if target := r.defs[s.reference]; target != nil {
			*s = *target
		} else if s.reference != "" {
			return nil, fmt.Errorf("no definition %s", s.reference)
		}
	}
	return whole, nil
}

// ignored are keywords that say nothing about the value.
var ignored = []string{"$schema", "$id", "$defs", "title", "description"}

func (r *reader) schema(v document.Value) (*Schema, error) {
	s := &Schema{}
	r.all = append(r.all, s)
	if !v.IsObject() {
		return nil, fmt.Errorf("a schema that is not an object: %s", v.Raw())
	}
	for m := v.First(); m.Exists(); m = m.Next() {
		if slices.Contains(ignored, m.Name()) {
			continue
		}
		if err := r.keyword(s, m); err != nil {
			return nil, err
		}
	}
	return s, nil
}

func (r *reader) keyword(s *Schema, m document.Value) (err error) {
	text, _ := m.Text()
	switch m.Name() {
	case "$ref":
		s.reference = text
	case "type":
		s.types = []string{text}
	case "enum":
		s.enum = texts(m)
	case "pattern":
		s.pattern = text
		s.matches = compiled(text)
	case "format":
		if s.date = text == "date-time"; !s.date {
			return fmt.Errorf("the format %q is not supported", text)
		}
	case "minLength":
		s.length.from(m)
	case "maxLength":
		s.length.to(m)
	case "minimum":
		s.value.from(m)
	case "maximum":
		s.value.to(m)
	case "minItems":
		s.items.from(m)
	case "maxItems":
		s.items.to(m)
	case "minProperties":
		s.members.from(m)
	case "maxProperties":
		s.members.to(m)
	case "required":
		s.required = texts(m)
	case "items":
		s.element, err = r.schema(m)
	case "additionalProperties":
		s.others, err = r.schema(m)
	case "properties":
		s.properties = map[string]*Schema{}
		for p := m.First(); p.Exists() && err == nil; p = p.Next() {
			s.names = append(s.names, p.Name())
			s.properties[strings.ToLower(p.Name())], err = r.schema(p)
		}
	case "anyOf":
		for p := m.First(); p.Exists() && err == nil; p = p.Next() {
			var one *Schema
			one, err = r.schema(p)
			s.oneOf = append(s.oneOf, one)
		}
	case "if":
		s.condition, err = r.schema(m)
	case "then":
		s.consequent, err = r.schema(m)
	default:
		return fmt.Errorf("the keyword %q is not supported", m.Name())
	}
	return err
}

// compiled compiles a pattern when it is first used.
func compiled(pattern string) func(string) bool {
	var form *regexp.Regexp
	return func(text string) bool {
		if form == nil {
			form = regexp.MustCompile(pattern)
		}
		return form.MatchString(text)
	}
}

func texts(v document.Value) (list []string) {
	for e := v.First(); e.Exists(); e = e.Next() {
		text, _ := e.Text()
		list = append(list, text)
	}
	return list
}

func (b *bounds) from(v document.Value) { b.least, b.hasLeast = v.Number() }

func (b *bounds) to(v document.Value) { b.most, b.hasMost = v.Number() }

// has tells whether a number is within the bounds.
func (b *bounds) has(n float64) bool {
	return !(b.hasLeast && n < b.least) && !(b.hasMost && n > b.most)
}

// Names are the names of the members that the schema describes anywhere, by their forms in lower case.
func (s *Schema) Names() map[string]string {
	names, seen := map[string]string{}, map[*Schema]bool{}
	var walk func(*Schema)
	walk = func(s *Schema) {
		if s == nil || seen[s] {
			return
		}
		seen[s] = true
		for _, name := range s.names {
			names[strings.ToLower(name)] = name
		}
		for _, part := range slices.Concat(slices.Collect(maps.Values(s.properties)), s.oneOf,
			[]*Schema{s.element, s.others, s.condition, s.consequent}) {
			walk(part)
		}
	}
	walk(s)
	return names
}
