package validation

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"vkloader/internal/core/document"
)

// Rule is the keyword that a value violates.
type Rule uint8

// Rules.
const (
	RuleType        Rule = iota // Violation.Got, Violation.Want: names of types
	RuleEnum                    // Got; Want: the values
	RulePattern                 // Got; Want: the pattern
	RuleFormat                  // Got
	RuleLength                  // Least, Most
	RuleRange                   // Least, Most
	RuleItems                   // Number, Least, Most
	RuleMembers                 // Number, Least, Most
	RuleRequired                // Want: the member
	RuleOneRequired             // Want: the members
)

// Violation is a value that the schema does not allow.
type Violation struct {
	At          document.Value
	Path        string // names and numbers from the top, with dots
	Rule        Rule
	Got         string
	Want        []string
	Number      int
	Least, Most float64 // infinite without a bound
}

// Check gives every violation to report, in the document's order.
func (s *Schema) Check(v document.Value, report func(Violation)) {
	(&judge{report: report}).value(s, v, "")
}

// judge goes through a document.
type judge struct {
	report func(Violation)
}

// allows tells whether a value is as a schema wants it.
func (s *Schema) allows(v document.Value) bool {
	good := true
	s.Check(v, func(Violation) { good = false })
	return good
}

func (b *bounds) limits() (least, most float64) {
	least, most = math.Inf(-1), math.Inf(1)
	if b.hasLeast {
		least = b.least
	}
	if b.hasMost {
		most = b.most
	}
	return least, most
}

// value judges one value. One that is of another type is not judged further: one fault, one violation.
func (j *judge) value(s *Schema, v document.Value, path string) {
	is := typeOf(v)
	if len(s.types) > 0 && !isOf(v, is, s.types[0]) {
		j.report(Violation{At: v, Path: path, Rule: RuleType, Got: is, Want: s.types})
		return
	}
	text, isText := v.Text()
	if s.enum != nil && !(isText && slices.Contains(s.enum, text)) {
		j.report(Violation{At: v, Path: path, Rule: RuleEnum, Got: text, Want: s.enum})
		return
	}
	switch is {
	case "string":
		j.text(s, v, path, text)
	case "number":
		if n, _ := v.Number(); !s.value.has(n) {
			least, most := s.value.limits()
			j.report(Violation{At: v, Path: path, Rule: RuleRange, Least: least, Most: most})
		}
	case "array":
		j.array(s, v, path)
	case "object":
		j.object(s, v, path)
	}
	if s.condition != nil && s.consequent != nil && s.condition.allows(v) {
		j.value(s.consequent, v, path)
	}
}

func (j *judge) text(s *Schema, v document.Value, path, text string) {
	if count := utf8.RuneCountInString(text); !s.length.has(float64(count)) {
		least, most := s.length.limits()
		j.report(Violation{At: v, Path: path, Rule: RuleLength, Number: count, Least: least, Most: most})
		return
	}
	if s.matches != nil && !s.matches(text) {
		j.report(Violation{At: v, Path: path, Rule: RulePattern, Got: text, Want: []string{s.pattern}})
	}
	if s.date {
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			j.report(Violation{At: v, Path: path, Rule: RuleFormat, Got: text})
		}
	}
}

func (j *judge) array(s *Schema, v document.Value, path string) {
	if count := v.Count(); !s.items.has(float64(count)) {
		least, most := s.items.limits()
		j.report(Violation{At: v, Path: path, Rule: RuleItems, Number: count, Least: least, Most: most})
	}
	if s.element == nil {
		return
	}
	n := 0
	for e := v.First(); e.Exists(); e = e.Next() {
		j.value(s.element, e, below(path, strconv.Itoa(n)))
		n++
	}
}

func (j *judge) object(s *Schema, v document.Value, path string) {
	for _, name := range s.required {
		if !v.Member(name).Exists() {
			j.report(Violation{At: v, Path: path, Rule: RuleRequired, Want: []string{name}})
		}
	}
	if s.oneOf != nil && !slices.ContainsFunc(s.oneOf, func(one *Schema) bool { return one.allows(v) }) {
		var names []string
		for _, one := range s.oneOf {
			names = append(names, one.required...)
		}
		j.report(Violation{At: v, Path: path, Rule: RuleOneRequired, Want: names})
	}
	seen := map[string]bool{}
	for m := v.First(); m.Exists(); m = m.Next() {
		key := strings.ToLower(m.Name())
		if seen[key] {
			continue // the first counts
		}
		seen[key] = true
		part, name := s.others, m.Name()
		if p := s.properties[key]; p != nil {
			part = p
			name = s.names[slices.IndexFunc(s.names, func(n string) bool { return strings.ToLower(n) == key })]
		}
		if part != nil {
			j.value(part, m, below(path, name))
		}
	}
	if !s.members.has(float64(len(seen))) {
		least, most := s.members.limits()
		j.report(Violation{At: v, Path: path, Rule: RuleMembers, Number: len(seen), Least: least, Most: most})
	}
}

func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// typeOf is the name of a value's type, "number" for integers too.
func typeOf(v document.Value) string {
	switch v.Kind() {
	case document.True, document.False:
		return "boolean"
	case document.Number:
		return "number"
	case document.String:
		return "string"
	case document.Array:
		return "array"
	case document.Object:
		return "object"
	}
	return "null"
}

// isOf tells whether a value, of the type is, is of the type want. An integer is a number without a fraction.
func isOf(v document.Value, is, want string) bool {
	if want == "integer" && is == "number" {
		n, _ := v.Number()
		return n == math.Trunc(n)
	}
	return is == want
}
