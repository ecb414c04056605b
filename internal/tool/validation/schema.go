package validation

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	schemas "vkloader/docs/schema"
	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
)

// files are the schemas by kind.
var files = map[Kind]string{Driver: "driver.json", Implicit: "layer.json", Explicit: "layer.json", Settings: "settings.json"}

// loadSchema gives a kind's schema: compiled, and as it is written.
func loadSchema(kind Kind) (*jsonschema.Schema, any, error) {
	data, err := schemas.Files.ReadFile(files[kind])
	if err != nil {
		return nil, nil, err
	}
	var written any
	if err := json.Unmarshal(data, &written); err != nil {
		return nil, nil, fmt.Errorf("schema %s: %w", files[kind], err)
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource(files[kind], written); err != nil {
		return nil, nil, fmt.Errorf("schema %s: %w", files[kind], err)
	}
	compiled, err := compiler.Compile(files[kind])
	return compiled, written, err
}

// schema judges by the published schema.
func (c *checker) schema(doc *document.Document) {
	if files[c.report.Kind] == "" {
		return
	}
	compiled, written, err := loadSchema(c.report.Kind)
	if err != nil {
		panic(err) // the schemas are part of the program
	}
	known := spellings{}
	known.collect(written)
	c.spelling(doc.Top(), known)
	wrong := (*jsonschema.ValidationError)(nil)
	if errors.As(compiled.Validate(known.plain(doc.Top())), &wrong) {
		c.violations(doc.Top(), known, wrong)
	}
	if more := c.violated - maxViolations; more > 0 {
		c.at(diag.FileSchema, doc.Top(), moreViolations(more))
	}
}

// maxViolations is how many violations of the schema are told: who has so many needs no more, and finding the place
// of each takes time.
const maxViolations = 100

var english = message.NewPrinter(language.English)

// violations are the innermost causes of a failed validation.
func (c *checker) violations(top document.Value, known spellings, wrong *jsonschema.ValidationError) {
	subject := strings.Join(wrong.InstanceLocation, ".")
	find := func(what fact) {
		if c.violated++; c.violated > maxViolations {
			return
		}
		c.at(diag.FileSchema, known.find(top, wrong.InstanceLocation), violation{subject, what})
	}
	switch is := wrong.ErrorKind.(type) {
	case *kind.AnyOf:
		var list []string
		for _, cause := range wrong.Causes {
			if required, ok := cause.ErrorKind.(*kind.Required); ok {
				list = append(list, required.Missing...)
			}
		}
		find(oneRequired(list))
	case *kind.Required:
		for _, name := range is.Missing {
			find(required(name))
		}
	case *kind.Pattern:
		find(mismatch{is.Got, is.Want})
	default:
		if len(wrong.Causes) == 0 {
			find(said(wrong.ErrorKind.LocalizedString(english)))
		}
		for _, cause := range wrong.Causes {
			c.violations(top, known, cause)
		}
	}
}

// spellings are the names of the members that a schema describes, by their lower-case form: the loader does not mind
// the case of names (LAY-11), so values are judged whatever it is.
type spellings map[string]string

func (known spellings) of(name string) string {
	if spelled, ok := known[strings.ToLower(name)]; ok {
		return spelled
	}
	return name
}

// find goes to an instance location.
func (known spellings) find(v document.Value, location []string) document.Value {
	for _, token := range location {
		next := v.First()
		if v.IsObject() {
			for next.Exists() && known.of(next.Name()) != token {
				next = next.Next()
			}
		} else if n, err := strconv.Atoi(token); err == nil {
			for ; n > 0 && next.Exists(); n-- {
				next = next.Next()
			}
		}
		if !next.Exists() {
			return v
		}
		v = next
	}
	return v
}

// plain is a value as the schema's validator wants it; of members of one name the first, as the loader has it.
func (known spellings) plain(v document.Value) any {
	switch v.Kind() {
	case document.True, document.False:
		return v.IsTrue()
	case document.Number:
		const far = 1e18 // no rule of a schema depends on numbers beyond it
		n, _ := v.Number()
		return math.Max(-far, math.Min(far, n))
	case document.String:
		text, _ := v.Text()
		return text
	case document.Array:
		list := []any{}
		for e := v.First(); e.Exists(); e = e.Next() {
			list = append(list, known.plain(e))
		}
		return list
	case document.Object:
		object := map[string]any{}
		for m := v.First(); m.Exists(); m = m.Next() {
			if _, twice := object[known.of(m.Name())]; !twice {
				object[known.of(m.Name())] = known.plain(m)
			}
		}
		return object
	}
	return nil
}

// collect goes through a schema.
func (known spellings) collect(schema any) {
	switch s := schema.(type) {
	case map[string]any:
		if properties, ok := s["properties"].(map[string]any); ok {
			for name := range properties {
				known[strings.ToLower(name)] = name
			}
		}
		for _, below := range s {
			known.collect(below)
		}
	case []any:
		for _, below := range s {
			known.collect(below)
		}
	}
}

// free are members whose own members may have any name.
var free = []string{"enable_environment", "disable_environment", "features", "functions", "log_locations", "vkloader"}

// spelling finds members that no loader and no schema knows, mostly ones that are spelled wrong, and those that are
// known in another case.
func (c *checker) spelling(v document.Value, known spellings) {
	object := v.IsObject()
	for m := v.First(); m.Exists(); m = m.Next() {
		name := ""
		if object {
			name = known.of(m.Name())
			if _, ok := known[strings.ToLower(name)]; !ok {
				c.at(diag.FileMember, m, unknownMember{m.Name(), known.nearest(m.Name())})
				continue
			}
			if name != m.Name() {
				c.at(diag.FileDialect, m, otherCase{m.Name(), name})
			}
		}
		if !slices.Contains(free, name) {
			c.spelling(m, known)
		}
	}
}

// nearest is the name that was meant, "" when none is near.
func (known spellings) nearest(name string) string {
	best, least := "", 3
	if len(name) > 64 {
		return ""
	}
	for lower, other := range known {
		if d := Distance(strings.ToLower(name), lower); d < least || d == least && best != "" && other < best {
			best, least = other, d
		}
	}
	return best
}
