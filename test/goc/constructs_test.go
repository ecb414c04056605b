package goc

import (
	"flag"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"

	"vkloader/tools/goc/program"
)

var full = flag.Bool("full", false, "also what takes long")

// TestConstructs compares the output and the panics of each program in C and in Go.
func TestConstructs(t *testing.T) {
	t.Parallel()
	names := slices.Sorted(maps.Keys(constructPrograms))
	p, err := program.Load(root, "./test/goc/constructs", names)
	if err != nil {
		t.Fatal(err)
	}
	c := translate(t, p, names)
	want := sync.OnceValue(func() map[string]string {
		out := map[string]string{}
		var plain []string
		for _, name := range names {
			if strings.HasPrefix(name, "Panic") {
				maps.Copy(out, native(t, []string{name}))
			} else {
				plain = append(plain, name)
			}
		}
		maps.Copy(out, native(t, plain))
		return out
	})
	for _, build := range []struct {
		name, compiler string
		flags          []string
	}{
		{"gcc, not optimized", "gcc", []string{"-O0", "-fsanitize=address,undefined", "-fno-sanitize-recover"}},
		// takes half a minute
		{"gcc, optimized", "gcc", []string{"-O2", "-fsanitize=address,undefined", "-fno-sanitize-recover"}},
		{"gcc as in the library", "gcc", []string{"-O2", "-fPIC"}},
		{"clang", "clang", []string{"-O2"}},
	} {
		if build.name == "gcc, optimized" && !*full {
			continue
		}
		t.Run(build.name, func(t *testing.T) {
			t.Parallel()
			compare(t, names, want(), output(t, c.compile(t, build.compiler, build.flags...), names))
		})
	}
}
