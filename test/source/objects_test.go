package source

import (
	"os"
	"regexp"
	"strings"
	"testing"
)

// The objects of the spine that a makefile names have sources. The probe for Windows, which make test does not build, names some.
func TestNamedObjectsHaveSources(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../../internal/decide/probe/build.mk")
	if err != nil {
		t.Fatal(err)
	}
	_, list, found := strings.Cut(strings.ReplaceAll(string(text), "\\\n", " "), "$(B)/obj/spine/%.c.o,")
	list, _, _ = strings.Cut(list, "\n")
	if !found {
		t.Fatal("build.mk names no objects of the spine")
	}
	list = regexp.MustCompile(`\$\(addprefix ([^,]+),([^)]+)\)`).ReplaceAllStringFunc(list, func(part string) string {
		prefix, names, _ := strings.Cut(strings.Trim(strings.TrimPrefix(part, "$(addprefix"), " )"), ",")
		return prefix + strings.Join(strings.Fields(names), " "+prefix)
	})
	objects := strings.Fields(strings.TrimSuffix(strings.TrimSpace(list), ")"))
	if len(objects) < 5 {
		t.Fatalf("only %q was understood", objects)
	}
	for _, object := range objects {
		if _, err := os.Stat("../../spine/" + object + ".c"); err != nil {
			t.Errorf("internal/decide/probe/build.mk names %s: %v", object, err)
		}
	}
}
