// Command vkgen generates files from the Vulkan registry (vk.xml): the spine's lists, its name table and its small
// Vulkan header, the Go facts of internal/decide/vk, and the table of hand-written commands.
//
//	vkgen [-xml vk.xml]
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
	flag.Parse()
	if err := run(*xml); err != nil {
		fmt.Fprintln(os.Stderr, "vkgen:", err)
		os.Exit(1)
	}
}

// run reads the registry and writes all generated files.
func run(xml string) error {
	in, err := os.Open(xml)
	if err != nil {
		return fmt.Errorf("registry: %w", err)
	}
	defer in.Close()
	wanted, err := os.ReadFile("tools/vkgen/zvk.roots")
	if err != nil {
		return fmt.Errorf("roots: %w", err)
	}
	r, err := registry.Read(in)
	if err != nil {
		return fmt.Errorf("registry %s: %w", xml, err)
	}
	var sets []*loader.Set
	for _, system := range loader.Systems {
		set, err := loader.Select(r, system)
		if err != nil {
			return fmt.Errorf("registry %s, for %s: %w", xml, system.Name, err)
		}
		sets = append(sets, set)
	}
	files, err := emit.All(sets, string(wanted))
	if err != nil {
		return err
	}
	for _, n := range sets[0].Notes {
		fmt.Fprintln(os.Stderr, "vkgen:", n)
	}
	for _, f := range files {
		if old, err := os.ReadFile(f.Path); err == nil && bytes.Equal(old, f.Content) {
			continue
		}
		if err := os.MkdirAll(filepath.Dir(f.Path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(f.Path, f.Content, 0o644); err != nil {
			return err
		}
	}
	return nil
}
