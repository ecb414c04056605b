package emit

import (
	"bytes"
	"fmt"
	"go/format"
	"strings"

	"vkloader/tools/vkgen/loader"
	"vkloader/tools/vkgen/registry"
)

// goFacts returns the Go files that tell the core about the registry.
func goFacts(s *loader.Set) ([]File, error) {
	var files []File
	add := func(path, pkg string, body func(*text)) error {
		var t text
		t.f("// %s", mark(s))
		t.f("\npackage %s\n", pkg)
		body(&t)
		out, err := format.Source(bytes.TrimRight(t.Bytes(), "\n"))
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		files = append(files, File{path, append(bytes.TrimRight(out, "\n"), '\n')})
		return nil
	}
	r := s.Registry
	for _, f := range []struct {
		path, pkg string
		body      func(*text)
	}{
		{"internal/decide/vk/zversion.go", "vk", func(t *text) {
			t.f("// HeaderVersion is the version of the registry that the loader was generated from.")
			t.f("const HeaderVersion = %q\n", r.Version())
			t.f("// HeaderVersionComplete is the same as an API version.")
			t.f("const HeaderVersionComplete = %d<<22 | %d<<12 | %d", r.Major, r.Minor, r.Patch)
		}},
		{"internal/decide/vk/zextensions.go", "vk", func(t *text) {
			var list []*registry.Extension
			for _, e := range r.Extensions {
				if e.Kind == "instance" {
					list = append(list, e)
				}
			}
			t.f("// InstanceExtensions are all instance extensions of the registry, in its order.")
			t.f("var InstanceExtensions = [...]InstanceExtension{")
			for _, e := range list {
				t.f("{%q, %q, %d, %t},", e.Name, e.Platform, e.SpecVersion, loader.Linux.Known(e))
			}
			t.f("}")
		}},
		{"internal/decide/vk/zresults.go", "vk", func(t *text) { goResults(t, r) }},
		{"internal/decide/vk/zcommands.go", "vk", func(t *text) {
			kinds := []string{"", "Global", "Instance", "PhysicalDevice", "Device"}
			t.f("// Commands are those that the loader knows: core first, each part in the registry's order.")
			t.f("var Commands = [...]Command{")
			for _, c := range s.Commands {
				t.f("{%q, %s, %d, %q, %q, %q, %q, %t},", c.Name, kinds[c.Kind], c.Minor, c.Extension, c.Gate, c.Alias, c.Param,
					c.Exported)
			}
			t.f("}")
		}},
	} {
		if err := add(f.path, f.pkg, f.body); err != nil {
			return nil, err
		}
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
			if i == len(parts)-1 && isTag(r, p) {
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

func isTag(r *registry.Registry, part string) bool {
	for _, t := range r.Tags {
		if strings.EqualFold(t, part) {
			return true
		}
	}
	return false
}
