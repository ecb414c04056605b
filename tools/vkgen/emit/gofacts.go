package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"slices"
	"strings"

	"vkloader/tools/vkgen/loader"
	"vkloader/tools/vkgen/registry"
)

// goFacts returns the files of internal/decide/vk.
func goFacts(s *loader.Set) ([]File, error) {
	var files []File
	r := s.Registry
	for _, f := range []struct {
		name string
		body func(*text)
	}{
		{"zversion.go", func(t *text) {
			t.f("// HeaderVersion is the version of the registry that the loader was generated from.")
			t.f("const HeaderVersion = %q\n", r.Version())
			t.f("// HeaderVersionComplete is the same as an API version.")
			t.f("const HeaderVersionComplete = %d<<22 | %d<<12 | %d", r.Major, r.Minor, r.Patch)
		}},
		{"zextensions.go", func(t *text) {
			t.f("// InstanceExtensions are all instance extensions of the registry, in its order.")
			t.f("var InstanceExtensions = [...]InstanceExtension{")
			for _, e := range r.Extensions {
				if e.Kind == "instance" {
					t.f("{%q, %q, %d, %t},", e.Name, e.Platform, e.SpecVersion, loader.Linux.Known(e))
				}
			}
			t.f("}")
		}},
		{"zresults.go", func(t *text) { goResults(t, r) }},
		{"zcommands.go", func(t *text) {
			kinds := []string{"", "Global", "Instance", "PhysicalDevice", "Device"}
			t.f("// Commands are those that the loader knows: core first, each part in the registry's order.")
			t.f("var Commands = [...]Command{")
			for _, c := range s.Commands {
				t.f("{%q, %s, %d, %q, %q, %q, %q, %t},", c.Name, kinds[c.Kind], c.Minor, c.Extension, c.Gate, c.Alias,
					c.Param,
					c.Exported)
			}
			t.f("}")
		}},
	} {
		var t text
		t.f("// %s\n\npackage vk\n", mark(s))
		f.body(&t)
		out, err := format.Source(t.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		files = append(files, File{"internal/decide/vk/" + f.name, append(bytes.TrimRight(out, "\n"), '\n')})
	}
	return files, nil
}

// goResults writes the names of VkResult's values.
func goResults(t *text, r *registry.Registry) {
	results := r.Enum("VkResult")
	if results == nil {
		results = &registry.Enum{}
	}
	goName := func(name string) string {
		parts := strings.Split(strings.ToLower(strings.TrimPrefix(name, "VK_")), "_")
		for i, p := range parts {
			if i == len(parts)-1 && slices.Contains(r.Tags, strings.ToUpper(p)) {
				parts[i] = strings.ToUpper(p)
			} else {
				parts[i] = strings.ToUpper(p[:1]) + p[1:]
			}
		}
		return strings.Join(parts, "")
	}
	t.f("// All results of the registry.\nconst (")
	for _, v := range results.Values {
		if v.Alias == "" {
			t.f("%s Result = %d", goName(v.Name), v.Num)
		}
	}
	t.f(")\n")
	t.f("// String gives the result's name in C, or its number.")
	t.f("func (r Result) String() string {\nswitch r {")
	for _, v := range results.Values {
		if v.Alias == "" {
			t.f("case %s:\nreturn %q", goName(v.Name), v.Name)
		}
	}
	t.f("}\nreturn numberText(r)\n}")
}
