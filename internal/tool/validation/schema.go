package validation

import (
	"maps"
	"slices"
	"strings"
	"sync"

	schemas "vkloader/docs/schema"
	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/tool/term"
)

// files are the schemas by kind.
var files = map[Kind]string{Driver: "driver.json", Implicit: "layer.json", Explicit: "layer.json", Settings: "settings.json"}

// published are the schemas by file, each read when it is first used.
var published = func() map[string]func() *Schema {
	list := map[string]func() *Schema{}
	for _, name := range files {
		list[name] = sync.OnceValue(func() *Schema {
			data, err := schemas.Files.ReadFile(name)
			if err != nil {
				panic(err) // the schemas are part of the program
			}
			read, err := ReadSchema(string(data))
			if err != nil {
				panic(err)
			}
			return read
		})
	}
	return list
}()

// maxViolations is how many violations of the schema are reported, and how many members that nothing reads: nobody reads
// more, and each takes time.
const maxViolations = 100

// schema judges by the published schema.
func (c *checker) schema(doc *document.Document) {
	if files[c.report.Kind] == "" {
		return
	}
	by := published[files[c.report.Kind]]()
	c.spelling(doc.Top(), by.Names())
	if more := c.unknown - maxViolations; more > 0 {
		c.at(diag.FileMember, doc.Top(), moreUnknown(more))
	}
	by.Check(doc.Top(), func(v Violation) {
		if c.violated++; c.violated <= maxViolations {
			c.at(diag.FileSchema, v.At, violation(v))
		}
	})
	if more := c.violated - maxViolations; more > 0 {
		c.at(diag.FileSchema, doc.Top(), moreViolations(more))
	}
}

// spellings are the names of the members that a schema describes, by their lower-case form: loaders ignore the case of
// names (LAY-11).
type spellings = map[string]string

// free are members whose own members may have any name.
var free = []string{"enable_environment", "disable_environment", "features", "functions", "log_locations", "vkloader"}

// spelling finds members that no loader and no schema knows, mostly ones that are spelled wrong, and those that are
// known in another case.
func (c *checker) spelling(v document.Value, known spellings) {
	object := v.IsObject()
	for m := v.First(); m.Exists(); m = m.Next() {
		name := ""
		if object {
			if name = known[strings.ToLower(m.Name())]; name == "" {
				if c.unknown++; c.unknown <= maxViolations {
					c.at(diag.FileMember, m, unknownMember{m.Name(), term.NearestName(m.Name(), slices.Collect(maps.Values(known)))})
				}
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
