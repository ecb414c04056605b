// Command nullgen generates lists of the null driver from vk.xml and the list of extensions that the driver offers:
// the prototypes of all commands, the command buffer commands that record nothing, the name table with its perfect
// hash, the extension lists, and the table of formats.
//
// The behavior of commands is not generated; drivers/null has it.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// highestMinor is the Vulkan 1.x version up to which the null driver has every command.
const highestMinor = 3

// handWritten are the command buffer commands that have an effect in the null driver. Every other vkCmd* command gets
// an empty body.
var handWritten = map[string]bool{
	"vkCmdSetEvent":        true, // changes the event's state when the command buffer is executed
	"vkCmdResetEvent":      true,
	"vkCmdSetEvent2":       true,
	"vkCmdResetEvent2":     true,
	"vkCmdExecuteCommands": true, // copies the event changes of secondary command buffers
}

func main() {
	xmlPath := flag.String("xml", "registry/vk.xml", "the registry")
	dir := flag.String("dir", "drivers/null", "the driver's directory: extensions.list is read there, z* written")
	flag.Parse()
	if err := run(*xmlPath, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "nullgen:", err)
		os.Exit(1)
	}
}

// run reads the registry and writes the driver's generated files to dir.
func run(xmlPath, dir string) error {
	reg, err := readRegistry(xmlPath)
	if err != nil {
		return err
	}
	list, err := os.ReadFile(filepath.Join(dir, "extensions.list"))
	if err != nil {
		return err
	}
	exts, err := reg.extensions(strings.Fields(stripComments(string(list))))
	if err != nil {
		return fmt.Errorf("extensions.list: %w", err)
	}
	cmds, err := reg.commands(exts)
	if err != nil {
		return err
	}
	formats, err := reg.formats()
	if err != nil {
		return err
	}
	names, err := nameTable(cmds)
	if err != nil {
		return err
	}
	for file, text := range map[string][]byte{
		"zcommands.h":     prototypes(cmds),
		"zcommands.c":     emptyCommands(cmds),
		"znames.inc":      names,
		"zextensions.inc": extensionLists(exts),
		"zformats.inc":    formatTable(formats),
	} {
		path := filepath.Join(dir, file)
		if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, text) {
			continue
		}
		if err := os.WriteFile(path, text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

func stripComments(text string) string {
	var out strings.Builder
	for _, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		out.WriteString(line + "\n")
	}
	return out.String()
}
