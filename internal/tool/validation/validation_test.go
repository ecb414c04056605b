package validation

import (
	"encoding/json"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	schemas "vkloader/docs/schema"
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
)

const fine = `{"file_format_version": "1.0.0", "ICD": {"library_path": "libx.so", "api_version": "1.3.0"}}`

// Syntax that only the loader accepts is reported at its place, and the loader accepts the file.
func TestDialect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text         string
		line, column int
		what         string
	}{
		{"\xef\xbb\xbf" + fine, 1, 1, "byte-order mark"},
		{"\xef\xbb\xbf" + fine + "\n x", 2, 2, "JSON does not allow the character 'x'"},
		{strings.Replace(fine, "libx", "lib\xff", 1), 1, 62, "not UTF-8"},
		{strings.Replace(fine, "libx", "lib\n", 1), 1, 62, "JSON does not allow the character"},
		{strings.Replace(fine, " \"ICD", "\x01\"ICD", 1), 1, 33, "JSON does not allow the character"},
		{strings.Replace(fine, "ICD", "icd", 1), 1, 41, `read as "ICD"`},
	} {
		r := judged(c.text, "/x.json", Unknown)
		found := false
		for _, f := range r.Findings {
			found = found || f.Code == diag.FileDialect.Entry().Name && f.Line == c.line && f.Column == c.column &&
				strings.Contains(f.What, c.what) && strings.HasSuffix(f.What, laxer)
		}
		if !found || !r.Accepted || r.Kind != Driver {
			t.Errorf("%q: %+v", c.text, r)
		}
	}
	if r := judged(fine, "/x.json", Unknown); len(r.Findings) != 0 {
		t.Errorf("%+v", r)
	}
}

// For any file, every finding has a place in it, and the checker does not fail.
func FuzzFile(f *testing.F) {
	f.Add(fine, "driver")
	f.Add(`{"file_format_version":"1","layers":[{"name":{"type":[]}},7],"Layers":1e999}`, "")
	f.Add(`{"file_format_version":"1","settings":{"app_keys":["/b"],"layers":{"a":{"control":"on"}},"device_configurations":[{}]}}`, "settings")
	f.Fuzz(func(t *testing.T, text, kind string) {
		lines := strings.Count(text, "\n") + 1
		for _, as := range []Kind{Unknown, Kind(kind)} {
			for _, found := range judged(text, "/d/x.json", as).Findings {
				if found.Line < 1 || found.Line > lines || found.Column < 1 || found.What == "" {
					t.Fatalf("%+v", found)
				}
			}
		}
	})
}

// A driver manifest with any part removed is rejected, or violates the schema.
func TestMutilated(t *testing.T) {
	t.Parallel()
	random := rand.New(rand.NewPCG(1, 1))
	for range 500 {
		from := random.IntN(len(fine))
		to := min(from+1+random.IntN(20), len(fine))
		text := fine[:from] + fine[to:]
		if strings.TrimSpace(fine[from:to]) == "" {
			continue
		}
		r := judged(text, "/x.json", Driver)
		// Without some letters, a file name or version is still valid.
		gone := fine[from:to]
		harmless := !strings.ContainsAny(gone, `"{}:,`) && len(r.Findings) == 0 && r.Accepted
		if !harmless && len(r.Findings) == 0 {
			t.Errorf("without %q: %s\n%+v", gone, text, r)
		}
	}
}

// A file full of faults is checked completely, its findings are counted, and a very long name causes no problem.
func TestFullOfFaults(t *testing.T) {
	t.Parallel()
	text := `{"file_format_version":"1.2.0","` + strings.Repeat("x", 1<<20) + `":1,"layers":[` + strings.Repeat("7,", 50000) + `7]}`
	r := judged(text, "/x.json", Explicit)
	count, more := 0, false
	for _, f := range r.Findings {
		if f.Code == diag.FileSchema.Entry().Name {
			count++
			more = more || f.What == "and 49901 more violations of the schema"
		}
	}
	if count != maxViolations || !more {
		t.Errorf("%d findings", count)
	}
}

// For a file full of unknown members, the first ones are reported with the closest known name, and the others are counted,
// because each search for a name takes time.
func TestFullOfUnknownMembers(t *testing.T) {
	t.Parallel()
	text := strings.Replace(fine, `"ICD"`, strings.Repeat(`"file_format_versio": 1, `, 3000)+`"ICD"`, 1)
	near, more := 0, false
	for _, f := range judged(text, "/x.json", Driver).Findings {
		if f.Code == diag.FileMember.Entry().Name && strings.Contains(f.What, "did you mean") {
			near++
		}
		more = more || f.What == "and 2900 more members that no loader reads"
	}
	if near != maxViolations || !more {
		t.Errorf("%d names, counted: %v", near, more)
	}
}

// A file that is not JSON is identified, and common errors are reported at their place, once.
func TestNamedMistakes(t *testing.T) {
	t.Parallel()
	wide := func(text string, order func(byte) string) string {
		var b strings.Builder
		for i := range len(text) {
			b.WriteString(order(text[i]))
		}
		return b.String()
	}
	little := func(c byte) string { return string([]byte{c, 0}) }
	big := func(c byte) string { return string([]byte{0, c}) }
	for _, c := range []struct {
		text         string
		line, column int
		what         string
	}{
		{"", 1, 1, "the file is empty"},
		{" \n", 1, 1, "the file is empty"},
		{"\xff\xfe" + wide(fine, little), 1, 1, "UTF-16 or UTF-32"},
		{wide(fine, little), 1, 1, "UTF-16 or UTF-32"},
		{"\xfe\xff" + wide(fine, big), 1, 1, "UTF-16 or UTF-32"},
		{wide(fine, big), 1, 1, "UTF-16 or UTF-32"},
		{wide(fine, func(c byte) string { return string([]byte{c, 0, 0, 0}) }), 1, 1, "UTF-16 or UTF-32"},
		{"\x7fELF\x02\x01", 1, 1, "an ELF file"},
		{"\x1f\x8b\x08", 1, 1, "compressed"},
		{"\x01\x02{", 1, 1, "not text"},
		{"{\n  \"a\": [1,\n2,\n]}", 4, 1, "not the start of a value"},
		{"{\"a\": 1\n \"b\": 2}", 2, 2, "a comma or a closing brace"},
		{"{\n \"a\": {\"b\": [1]", 2, 16, "inside an object or array"},
	} {
		r := judged(c.text, "/x.json", Driver)
		if len(r.Findings) != 1 || r.Findings[0].Line != c.line || r.Findings[0].Column != c.column || r.Accepted ||
			!strings.Contains(r.Findings[0].What, c.what) {
			t.Errorf("%q: %+v", c.text, r.Findings)
		}
	}
}

// One fault gives one finding, with the loader's message if there is one.
func TestOneFaultOneFinding(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		`{"file_format_version": "1.0.0", "ICD": {"api_version": "1.3.0"}}`:                          {"driver-field"},
		`{"ICD": {"library_path": "libx.so", "api_version": "1.3.0"}}`:                               {"manifest-version"},
		`{"file_format_version": "1.0.0", "ICD": {"library_path": "libx.so", "api_version": 1}}`:     {"driver-field"},
		`{"file_format_version": "1.0.0", "ICD": {"library_path": ["libx.so"], "api_version": "1"}}`: {"file-schema", "file-schema"},
		`{"file_format_version": "1.2.0", "layer": {"name": "x", "type": "INSTANCE", "library_path": "libx.so", "api_version": "1.3.0",
			"implementation_version": "1", "description": "x"}}`: {"layer-name"},
		`{"file_format_version": "1.0.0", "settings": {"device_configurations": [{"deviceUUID": 1, "driverUUID": [1], "driverVersion": "x"}]}}`: {
			"settings-devices", "settings-devices", "settings-devices"},
	} {
		var got []string
		for _, f := range judged(text, "/x.json", Unknown).Findings {
			got = append(got, f.Code)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s\ngot  %q\nwant %q", text, got, want)
		}
	}
}

// Every pattern of the published schemas has a description, so that no message shows a regular expression.
func TestPatternsHaveWords(t *testing.T) {
	t.Parallel()
	count := 0
	for _, name := range files {
		data, err := schemas.Files.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, found := range regexp.MustCompile(`"pattern": ("[^\n]*?")[,}\n]`).FindAllStringSubmatch(string(data), -1) {
			var pattern string
			if err := json.Unmarshal([]byte(found[1]), &pattern); err != nil {
				t.Fatal(err)
			}
			if count++; patternWords[pattern] == "" {
				t.Errorf("%s: no words for %s", name, pattern)
			}
		}
	}
	if count < 8 {
		t.Errorf("only %d patterns", count)
	}
}

// judged returns the result for a file with a text.
func judged(text, path string, kind Kind) Result {
	result, _ := Judge(facts.File{Content: text}, path, kind)
	return result
}
