package validation

import (
	"math/rand/v2"
	"strings"
	"testing"

	"vkloader/internal/core/diag"
)

const fine = `{"file_format_version": "1.0.0", "ICD": {"library_path": "libx.so", "api_version": "1.3.0"}}`

// What the loader's dialect allows beyond JSON is said, at its place; the loader takes the file all the same.
func TestDialect(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text         string
		line, column int
		what         string
	}{
		{"\xef\xbb\xbf" + fine, 1, 1, "byte-order mark"},
		{"\xef\xbb\xbf" + fine + "\n x", 2, 2, "after top-level value"},
		{strings.Replace(fine, "libx", "lib\xff", 1), 1, 62, "no UTF-8"},
		{strings.Replace(fine, "libx", "lib\n", 1), 1, 62, "in string literal"},
		{strings.Replace(fine, " \"ICD", "\x01\"ICD", 1), 1, 33, "invalid character"},
		{strings.Replace(fine, "ICD", "icd", 1), 1, 41, `read as "ICD"`},
	} {
		r := File(c.text, "/x.json", "/x.json", Unknown)
		found := false
		for _, f := range r.Findings {
			found = found || f.Code == diag.FileDialect && f.Line == c.line && f.Column == c.column &&
				strings.Contains(f.What, c.what) && strings.HasSuffix(f.What, laxer)
		}
		if !found || !r.Accepted || r.Kind != Driver {
			t.Errorf("%q: %+v", c.text, r)
		}
	}
	if r := File(fine, "/x.json", "/x.json", Unknown); len(r.Findings) != 0 {
		t.Errorf("%+v", r)
	}
}

// Whatever the file, every finding has a place in it, and no file takes the checker down.
func FuzzFile(f *testing.F) {
	f.Add(fine, "driver")
	f.Add(`{"file_format_version":"1","layers":[{"name":{"type":[]}},7],"Layers":1e999}`, "")
	f.Add(`{"file_format_version":"1","settings":{"app_keys":["/b"],"layers":{"a":{"control":"on"}},"device_configurations":[{}]}}`, "settings")
	f.Fuzz(func(t *testing.T, text, kind string) {
		lines := strings.Count(text, "\n") + 1
		for _, as := range []Kind{Unknown, Kind(kind)} {
			for _, found := range File(text, "/d/x.json", "/d/x.json", as).Findings {
				if found.Line < 1 || found.Line > lines || found.Column < 1 || found.What == "" {
					t.Fatalf("%+v", found)
				}
			}
		}
	})
}

// An accepted driver manifest from which anything is taken away is refused, or faulted by the schema.
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
		r := File(text, "/x.json", "/x.json", Driver)
		problems, warnings := r.Problems()
		// Letters out of the middle of a file's name, or digits out of a version, leave one of another name or number.
		gone := fine[from:to]
		harmless := !strings.ContainsAny(gone, `"{}:,`) && len(r.Findings) == 0 && r.Accepted
		if !harmless && problems+warnings+len(r.Findings) == 0 {
			t.Errorf("without %q: %s\n%+v", gone, text, r)
		}
	}
}

// A file of nothing but faults is judged all the same, its findings are counted, and a name without end is no trouble.
func TestFullOfFaults(t *testing.T) {
	t.Parallel()
	text := `{"file_format_version":"1.2.0","` + strings.Repeat("x", 1<<20) + `":1,"layers":[` + strings.Repeat("7,", 50000) + `7]}`
	r := File(text, "/x.json", "/x.json", Explicit)
	count, more := 0, false
	for _, f := range r.Findings {
		if f.Code == diag.FileSchema {
			count++
			more = more || f.What == "and 49901 more violations of the schema"
		}
	}
	if count != maxViolations+1 || !more {
		t.Errorf("%d findings", count)
	}
}
