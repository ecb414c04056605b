package source

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vkloader/internal/decide/loaders"
)

// Every member of a settings file that the core reads is a property in the schema. Every member of its settings object
// has a row in the table of other loaders.
func TestMembersOfSettings(t *testing.T) {
	t.Parallel()
	text := func(path string) string {
		t.Helper()
		b, err := os.ReadFile(filepath.Join(top, path))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	names := map[string]string{}
	for _, m := range regexp.MustCompile(`(?m)^const (\w+Member) = "(\w+)"`).FindAllStringSubmatch(text("internal/core/settings/settings.go"), -1) {
		names[m[1]] = m[2]
	}
	schema := text("docs/schema/settings.json")
	read := 0
	for _, m := range regexp.MustCompile(`(\w+)\.Member\("?(\w+)"?\)`).FindAllStringSubmatch(text("internal/core/settings/read.go"), -1) {
		name := m[2]
		if named, constant := names[name]; constant {
			name = named
		}
		read++
		if !strings.Contains(schema, `"`+name+`": {`) {
			t.Errorf("internal/core/settings/read.go reads %s, which docs/schema/settings.json does not describe", name)
		}
		if (m[1] == "chosen" || m[1] == "object") && loaders.Named(name) == nil {
			t.Errorf("internal/core/settings/read.go reads %s, which has no row in internal/decide/loaders/features.txt", name)
		}
	}
	if read < 20 || len(names) < 2 {
		t.Errorf("only %d members and %d constants were found", read, len(names))
	}
}

// A code of a finding is used outside the table of codes: otherwise no condition raises the finding.
func TestCodesAreRaised(t *testing.T) {
	t.Parallel()
	used := map[string]bool{}
	name := regexp.MustCompile(`\b[A-Z]\w+\b`)
	tables := map[string]*regexp.Regexp{
		"internal/core/diag/zcodes.go":   regexp.MustCompile(`(?m)^\t(\w+) +Code += \d`),
		"internal/tool/doctor/zcodes.go": regexp.MustCompile(`(?m)^\t(\w+) +Code += "`),
	}
	codes := map[string]string{}
	for _, f := range sources(t) {
		if table := tables[f.path]; table != nil {
			for _, m := range table.FindAllStringSubmatch(f.text, -1) {
				codes[m[1]] = f.path
			}
		} else if !f.test && strings.HasPrefix(f.pack, "internal/") {
			for _, word := range name.FindAllString(f.text, -1) {
				used[word] = true
			}
		}
	}
	for code, path := range codes {
		if !used[code] {
			t.Errorf("%s has %s, which no code of the core or the tool raises", path, code)
		}
	}
	if len(codes) < 150 {
		t.Errorf("only %d codes were found", len(codes))
	}
}
