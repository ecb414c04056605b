// Command vkgen makes everything that is generated from the Vulkan registry (vk.xml): the spine's lists, its name table and
// its small Vulkan header, the Go facts of internal/decide/vk, and the table of hand-written commands.
//
//	vkgen [-xml vk.xml] [-roots zvk.roots] [-out .] [-check]
//
// With -check nothing is written: the files are compared, the names of stale ones printed. Exit codes: 0 fine, 1 stale
// or failed, 2 the registry or the roots could not be read.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"vkloader/tools/vkgen/emit"
	"vkloader/tools/vkgen/loader"
	"vkloader/tools/vkgen/registry"
)

func main() {
	xml := flag.String("xml", "registry/vk.xml", "registry to read")
	roots := flag.String("roots", "tools/vkgen/zvk.roots", "what zvk.h must hold")
	out := flag.String("out", ".", "root of the repository")
	check := flag.Bool("check", false, "write nothing, name the stale files")
	flag.Parse()
	os.Exit(run(*xml, *roots, *out, *check))
}

func run(xml, roots, out string, check bool) int {
	fail := func(code int, err error) int {
		fmt.Fprintln(os.Stderr, "vkgen:", err)
		return code
	}
	in, err := os.Open(xml)
	if err != nil {
		return fail(2, fmt.Errorf("registry: %w", err))
	}
	defer in.Close()
	wanted, err := os.ReadFile(roots)
	if err != nil {
		return fail(2, fmt.Errorf("roots: %w", err))
	}
	r, err := registry.Read(in)
	if err != nil {
		return fail(1, fmt.Errorf("registry %s: %w", xml, err))
	}
	var sets []*loader.Set
	for _, system := range loader.Systems {
		set, err := loader.Select(r, system)
		if err != nil {
			return fail(1, fmt.Errorf("registry %s, for %s: %w", xml, system.Name, err))
		}
		sets = append(sets, set)
	}
	files, err := emit.All(sets, string(wanted))
	if err != nil {
		return fail(1, err)
	}
	for _, n := range sets[0].Notes {
		fmt.Fprintln(os.Stderr, "vkgen:", n)
	}
	code := 0
	for _, f := range files {
		path := filepath.Join(out, f.Path)
		old, err := os.ReadFile(path)
		if err == nil && bytes.Equal(old, f.Content) {
			continue
		}
		if check {
			fmt.Println(f.Path)
			code = 1
			continue
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return fail(1, err)
		}
		if err := os.WriteFile(path, f.Content, 0o644); err != nil {
			return fail(1, err)
		}
	}
	return code
}
