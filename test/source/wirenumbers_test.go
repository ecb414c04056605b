package source

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// enumeratedFields are the fields of wire.def's records that hold a value of one of its enumerations.
func enumeratedFields(t *testing.T) []string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, "internal/core/wire/wire.def"))
	if err != nil {
		t.Fatal(err)
	}
	enumerations := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^enum (\w+)`).FindAllStringSubmatch(string(text), -1) {
		enumerations[m[1]] = true
	}
	var fields []string
	for _, m := range regexp.MustCompile(`(?m)^    (\w+) +(\w+)`).FindAllStringSubmatch(string(text), -1) {
		if enumerations[m[1]] {
			fields = append(fields, m[2])
		}
	}
	return fields
}

// bareNumber is a number in the code that is given to one of the fields or compared with it.
func bareNumber(fields []string) *regexp.Regexp {
	return regexp.MustCompile(`(?i)\b(?:` + strings.Join(fields, "|") + `)\b\s*(?:[!=]=|:|=)\s*[0-9]\w*\b`)
}

// The numbers of the wire's enumerations stand in wire.def; code uses the names that are generated from it.
func TestWireNumbersHaveNames(t *testing.T) {
	t.Parallel()
	fields := enumeratedFields(t)
	if len(fields) < 10 {
		t.Fatalf("only %d fields: %q", len(fields), fields)
	}
	bare := bareNumber(fields)
	for text, want := range map[string]bool{"if (r->status == 1) {": true, ".status = 0,": true, "Status: 2,": true, "x.status == WIRE_FILE_READ": false, "status1 == 0": false} {
		if bare.MatchString(text) != want {
			t.Errorf("%s: want %v", text, want)
		}
	}
	say := func(path, text string) {
		for _, found := range bare.FindAllString(text, -1) {
			t.Errorf("%s: %q: wire.def names this number", path, found)
		}
	}
	for path, text := range spineFiles(t) {
		if directory, _, _ := strings.Cut(path, "/"); directory == "core" || directory == "service" {
			say("spine/"+path, cComment.ReplaceAllString(text, " "))
		}
	}
	for _, f := range sources(t) {
		if !f.test && (strings.HasPrefix(f.pack, "internal/core/") || f.pack == "internal/decide/machine" || f.pack == "internal/decide/systems" || f.pack == "internal/decide/probe") &&
			!strings.HasPrefix(filepath.Base(f.path), "z") {
			say(f.path, cComment.ReplaceAllString(f.text, " "))
		}
	}
}
