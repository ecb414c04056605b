package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/tools/txtar"

	"vkloader/test/lib/binary"
)

// fake is a machine of testdata/machines.
type fake struct {
	env []string // its environment, NAME=VALUE
}

// build creates a machine below root. The archive's files are the machine's; the lines above them are directives:
//
//	env NAME=VALUE                 a variable of the programs there
//	elf PATH WORDS...              a shared object, see binary.Parse
//	link PATH TARGET               a symbolic link
//	directory PATH                 an empty directory
//	mode PATH 0600                 permissions of a file, set at the end
//	owner PATH USER GROUP          numbers of a file's owner and group, which only root can set
//	ldconfig PATH                  the cache of the dynamic linker, of the directory PATH
//	copy PATH SOURCE               a file of the repository's build directory
//	base NAME                      another machine, bases/NAME.txtar in the archive's directory, that this one extends
//	then DIRECTIVE                 a later change, which function change makes; files below then/ in the archive are changes as well
//	# ...                          a comment
func build(archive, root string) (*fake, error) { return lay(archive, root, false) }

// change applies the archive's changes to a machine that build has created.
func change(archive, root string) (*fake, error) { return lay(archive, root, true) }

// lay creates a machine, or applies its changes.
func lay(archive, root string, changes bool) (*fake, error) {
	content, err := txtar.ParseFile(archive)
	if err != nil {
		return nil, err
	}
	m := &fake{}
	lines := strings.Split(string(content.Comment), "\n")
	for _, line := range lines {
		if base, is := strings.CutPrefix(line, "base "); is && !changes {
			if m, err = build(filepath.Join(filepath.Dir(archive), "bases", base+".txtar"), root); err != nil {
				return nil, err
			}
		}
	}
	for _, f := range content.Files {
		name, is := strings.CutPrefix(f.Name, "then/")
		if is != changes {
			continue
		}
		if err := put(filepath.Join(root, name), f.Data); err != nil {
			return nil, err
		}
	}
	var modes, owners [][]string
	for n, line := range lines {
		line, is := strings.CutPrefix(line, "then ")
		words := strings.Fields(line)
		if len(words) == 0 || is != changes || strings.HasPrefix(line, "#") || words[0] == "base" {
			continue
		}
		wrong := fmt.Errorf("%s:%d: %q is no directive", archive, n+1, line)
		if len(words) < 2 {
			return nil, wrong
		}
		path := filepath.Join(root, words[1])
		switch {
		case words[0] == "env":
			m.env = append(m.env, strings.TrimSpace(strings.TrimPrefix(line, "env")))
			err = nil
		case words[0] == "elf":
			var library *binary.Library
			if library, err = binary.Parse(words[2:]); err == nil {
				err = put(path, library.Bytes())
			}
		case words[0] == "macho" && len(words) > 2:
			var parts []binary.MachO
			for _, processor := range strings.Split(words[2], ",") {
				parts = append(parts, binary.MachO{Machine: processor, Exports: words[3:], Program: len(words) == 3})
			}
			err = put(path, binary.Mach(parts...))
		case words[0] == "link" && len(words) == 3:
			if err = os.MkdirAll(filepath.Dir(path), 0o755); err == nil {
				err = os.Symlink(words[2], path)
			}
		case words[0] == "directory":
			err = os.MkdirAll(path, 0o755)
		case words[0] == "mode" && len(words) == 3:
			modes = append(modes, words)
		case words[0] == "owner" && len(words) == 4:
			owners, err = append(owners, words), nil
		case words[0] == "ldconfig":
			err = runLdconfig(path)
		case words[0] == "remove":
			err = os.Remove(path)
		case words[0] == "copy" && len(words) == 3:
			var data []byte
			if data, err = os.ReadFile(filepath.Join(built, words[2])); err == nil {
				err = put(path, data)
			}
		default:
			err = wrong
		}
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", archive, n+1, err)
		}
	}
	for _, words := range owners {
		var user, group int
		if _, err := fmt.Sscan(words[2]+" "+words[3], &user, &group); err != nil {
			return nil, err
		}
		if err := os.Lchown(filepath.Join(root, words[1]), user, group); err != nil {
			return nil, err
		}
	}
	for _, words := range modes {
		var mode os.FileMode
		if _, err := fmt.Sscanf(words[2], "%o", &mode); err != nil {
			return nil, err
		}
		if err := os.Chmod(filepath.Join(root, words[1]), mode); err != nil {
			return nil, err
		}
	}
	return m, nil
}

func put(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return binary.WriteProgram(path, data)
}
