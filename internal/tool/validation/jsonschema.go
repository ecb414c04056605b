package validation

import (
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	schemas "vkloader/docs/schema"
	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/tool/term"
)

// Schema is a JSON Schema. Check interprets its text directly: it reports positions, and names in any letter case.
// santhosh-tekuri/jsonschema has neither, and its import takes 6 ms and 21,000 allocations at each start of the tool.
type Schema struct {
	top      document.Value
	patterns map[string]*regexp.Regexp // each is compiled at its first use
}

// ReadSchema parses a schema. Tests check that the published ones have supported keywords only.
func ReadSchema(text string) *Schema {
	doc, _ := document.Parse(text)
	return &Schema{doc.Top(), map[string]*regexp.Regexp{}}
}

// resolve returns the definition to which a part of the schema refers, or the part itself.
func (s *Schema) resolve(part document.Value) document.Value {
	reference, is := part.Member("$ref").Text()
	if !is {
		return part
	}
	return s.top.Member("$defs").Member(strings.TrimPrefix(reference, "#/$defs/"))
}

// Names returns the member names in the schema, by their lower-case forms.
func (s *Schema) Names() map[string]string {
	names := map[string]string{}
	var walk func(document.Value)
	walk = func(v document.Value) {
		for m := v.First(); m.Exists(); m = m.Next() {
			if m.Name() == "properties" {
				for p := m.First(); p.Exists(); p = p.Next() {
					names[strings.ToLower(p.Name())] = p.Name()
				}
			}
			walk(m)
		}
	}
	walk(s.top)
	return names
}

// Violation is a value that violates the schema.
type Violation struct {
	At      document.Value
	Path    string   // the names and indexes of the value from the top, with dots
	What    string   // with the path
	Missing []string // the required members that are missing
}

// Check reports every violation in the order of the document.
func (s *Schema) Check(v document.Value, report func(Violation)) {
	(&judge{s, report}).value(s.top, v, "")
}

// judge checks a document.
type judge struct {
	*Schema
	report func(Violation)
}

func (j *judge) wrong(v document.Value, path, format string, args ...any) {
	j.report(Violation{At: v, Path: path, What: term.Enclosed("", path, ": ") + fmt.Sprintf(format, args...)})
}

func (j *judge) lacks(v document.Value, path string, names []string) {
	j.report(Violation{v, path, term.Enclosed("", path, ": ") + term.Choice(names) + " is missing", names})
}

func (j *judge) allows(part, v document.Value) bool {
	good := true
	(&judge{j.Schema, func(Violation) { good = false }}).value(part, v, "")
	return good
}

// isOutside reports a number outside the bounds of two keywords, and returns whether it did. what describes the value,
// with # for the number; empty describes it for the number 0.
func (j *judge) isOutside(part document.Value, least, most string, number float64, v document.Value, path, what,
	empty string) bool {
	low, isLow := part.Member(least).Number()
	high, isHigh := part.Member(most).Number()
	if (!isLow || number >= low) && (!isHigh || number <= high) {
		return false
	}
	what, wanted := strings.Replace(what, "#", fmt.Sprint(number), 1), fmt.Sprintf("%.0f to %.0f", low, high)
	switch {
	case empty != "" && number == 0:
		j.wrong(v, path, "%s", empty)
		return true
	case !isLow:
		wanted = fmt.Sprintf("at most %.0f", high)
	case !isHigh:
		wanted = fmt.Sprintf("at least %.0f", low)
	case low == high:
		wanted = fmt.Sprintf("%.0f", low)
	}
	j.wrong(v, path, "%s, expected %s", what, wanted)
	return true
}

// value checks one value. After a wrong type it checks nothing else: one fault gives one violation.
func (j *judge) value(part, v document.Value, path string) {
	part = j.resolve(part)
	is := typeOf(v)
	if want, has := part.Member("type").Text(); has && !isOf(v, is, want) {
		j.wrong(v, path, "%s, expected %s", typeWords[is], typeWords[want])
		return
	}
	text, isText := v.Text()
	if values := texts(part.Member("enum")); values != nil && !(isText && slices.Contains(values, text)) {
		j.wrong(v, path, "%q, expected %s%s", text, term.Choice(values), term.DidYouMean(text, values))
		return
	}
	switch is {
	case "string":
		j.text(part, v, path, text)
	case "number":
		n, _ := v.Number()
		j.isOutside(part, "minimum", "maximum", n, v, path, "out of range", "")
	case "array":
		j.array(part, v, path)
	case "object":
		j.object(part, v, path)
	}
	for one := part.Member("allOf").First(); one.Exists(); one = one.Next() {
		j.value(one, v, path)
	}
	if condition, then := part.Member("if"), part.Member("then"); condition.Exists() && then.Exists() &&
		j.allows(condition, v) {
		j.value(then, v, path)
	}
}

func (j *judge) text(part, v document.Value, path, text string) {
	count := utf8.RuneCountInString(text)
	const what = "a string of # characters"
	if j.isOutside(part, "minLength", "maxLength", float64(count), v, path, what, "an empty string") {
		return
	}
	if pattern, has := part.Member("pattern").Text(); has && !j.matches(pattern, text) {
		j.wrong(v, path, "%q, expected %s", text, patternWords[pattern])
	}
	if part.Member("format").Exists() { // date-time is the only format
		if _, err := time.Parse(time.RFC3339, text); err != nil {
			j.wrong(v, path, "%q, expected a date and time, such as 2030-12-31T00:00:00Z", text)
		}
	}
}

func (s *Schema) matches(pattern, text string) bool {
	if s.patterns[pattern] == nil {
		s.patterns[pattern] = regexp.MustCompile(pattern)
	}
	return s.patterns[pattern].MatchString(text)
}

func (j *judge) array(part, v document.Value, path string) {
	j.isOutside(part, "minItems", "maxItems", float64(v.Count()), v, path, "an array of #", "an empty array")
	element := part.Member("items")
	if !element.Exists() {
		return
	}
	n := 0
	for e := v.First(); e.Exists(); e = e.Next() {
		j.value(element, e, below(path, strconv.Itoa(n)))
		n++
	}
}

func (j *judge) object(part, v document.Value, path string) {
	for _, name := range texts(part.Member("required")) {
		if !v.Member(name).Exists() {
			j.lacks(v, path, []string{name})
		}
	}
	var names []string
	one := part.Member("anyOf").First()
	for ; one.Exists() && !j.allows(one, v); one = one.Next() {
		names = append(names, texts(one.Member("required"))...)
	}
	if !one.Exists() && names != nil {
		j.lacks(v, path, names)
	}
	seen := map[string]bool{}
	for m := v.First(); m.Exists(); m = m.Next() {
		key := strings.ToLower(m.Name())
		if seen[key] {
			continue // the first member with a name counts
		}
		seen[key] = true
		by, name := part.Member("additionalProperties"), m.Name()
		for p := part.Member("properties").First(); p.Exists(); p = p.Next() {
			if strings.ToLower(p.Name()) == key {
				by, name = p, p.Name()
			}
		}
		if by.Exists() {
			j.value(by, m, below(path, name))
		}
	}
	j.isOutside(part, "minProperties", "maxProperties", float64(len(seen)), v, path, "an object with # members", "")
}

func texts(v document.Value) (list []string) {
	for e := v.First(); e.Exists(); e = e.Next() {
		text, _ := e.Text()
		list = append(list, text)
	}
	return list
}

func below(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// typeOf returns the name of a value's type, "number" for integers too.
func typeOf(v document.Value) string {
	return map[document.Kind]string{document.True: "boolean", document.False: "boolean", document.Number: "number",
		document.String: "string", document.Array: "array", document.Object: "object", document.Null: "null"}[v.Kind()]
}

// isOf reports whether a value with type name is has type want. An integer is a number without a fraction.
func isOf(v document.Value, is, want string) bool {
	if want == "integer" && is == "number" {
		n, _ := v.Number()
		return n == math.Trunc(n)
	}
	return is == want
}

// files maps kinds to schema files.
var files = map[Kind]string{Driver: "driver.json", Implicit: "layer.json", Explicit: "layer.json",
	Settings: "settings.json"}

// published maps schema files to schemas, each parsed at its first use.
var published = func() map[string]func() *Schema {
	list := map[string]func() *Schema{}
	for _, name := range []string{"driver.json", "layer.json", "features.json", "settings.json"} {
		list[name] = sync.OnceValue(func() *Schema {
			data, _ := schemas.Files.ReadFile(name) // it is part of the program
			return ReadSchema(string(data))
		})
	}
	return list
}()

// maxViolations is the maximum number of reported violations, and of reported unknown members. More would only take
// time.
const maxViolations = 100

func (c *checker) schema(doc *document.Document) {
	if files[c.result.Kind] == "" {
		return
	}
	by := published[files[c.result.Kind]]()
	c.spelling(doc.Top(), by.Names())
	if more := c.unknown - maxViolations; more > 0 {
		c.at(diag.FileMember, doc.Top(), "and %d more members that no loader reads", more)
	}
	by.Check(doc.Top(), c.violates)
	if more := c.violated - maxViolations; more > 0 {
		c.at(diag.FileSchema, doc.Top(), "and %d more violations of the schema", more)
	}
}

// violates adds the finding of a violation of a schema.
func (c *checker) violates(v Violation) {
	if c.violated++; c.violated <= maxViolations {
		c.at(partOfSettings(v.Path), v.At, "%s", v.What)
		c.found[len(c.found)-1].violation = &v
	}
}

// free are members with arbitrary member names inside.
var free = []string{"enable_environment", "disable_environment", "features", "functions", "log_locations", "vkloader"}

// spelling reports members that neither a loader nor a schema knows, usually misspelled ones, and known members in
// another letter case, which loaders ignore (LAY-11). known maps the lower-case forms of the schema's names to the
// names.
func (c *checker) spelling(v document.Value, known map[string]string) {
	object := v.IsObject()
	for m := v.First(); m.Exists(); m = m.Next() {
		name := ""
		if object {
			if name = known[strings.ToLower(m.Name())]; name == "" {
				if c.unknown++; c.unknown <= maxViolations {
					near := term.DidYouMean(m.Name(), slices.Collect(maps.Values(known)))
					c.at(diag.FileMember, m, "no loader reads a member %q%s", m.Name(), near)
				}
				continue
			}
			if name != m.Name() {
				c.at(diag.FileDialect, m, "the member %q is read as %q"+laxer, m.Name(), name)
			}
		}
		if !slices.Contains(free, name) {
			c.spelling(m, known)
		}
	}
}

// patternWords describes the texts that match a pattern of the schemas.
var patternWords = map[string]string{
	`^[0-9]+\.[0-9]+\.[0-9]+$`:    "a version of three numbers, such as 1.0.0",
	`^[0-9]+\.[0-9]+(\.[0-9]+)?$`: "a Vulkan version, such as 1.3 or 1.3.0",
	`^[0-9]+$`:                    "a whole number",
	`^VK_LAYER_`:                  "a name that begins with VK_LAYER_",
	`^(/|[A-Za-z]:[/\\]).`:        "a full path, which begins with / or a drive, and names a file",
	`^(/|[A-Za-z]:[/\\])`:         "a full path, which begins with / or a drive",
	`\.json$`:                     "the path of a manifest, which ends in .json",
}

// typeWords are the JSON types with their articles.
var typeWords = map[string]string{"string": "a string", "number": "a number", "integer": "a whole number",
	"boolean": "true or false", "array": "an array", "object": "an object", "null": "null"}
