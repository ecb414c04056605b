// Command debmodules lets a Debian package be built from Debian's packages of Go modules, without a network.
//
// It copies the modules that go.mod requires from /usr/share/gocode/src, where Debian's -dev packages install them, to
// vendor/, and writes a go.mod with the versions of these packages to the file in its argument. It leaves out modules
// that are not installed; packages that import them cannot be built then. It prints the value of the field
// Static-Built-Using: the source packages whose code a static program contains, with their versions. debian/rules calls
// it.
package main

import (
	"bytes"
	"errors"
	"fmt"
	"go/build"
	"io/fs"
	"log"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const installed = "/usr/share/gocode/src"

// A module is a requirement of go.mod and the Debian package that has its files.
type module struct {
	path, version string
	directory     string // in Debian's tree
	source        string // "golang-golang-x-sys (= 0.49.0+dfsg-1)"
	language      string // the version of Go that its files are written for
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("debmodules: ")
	if len(os.Args) != 2 {
		log.Fatal("usage: debmodules FILE, where FILE is the go.mod to write")
	}
	if err := write(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

func write(file string) error {
	text, err := os.ReadFile("go.mod")
	if err != nil {
		return err
	}
	modules, rest, err := find(text)
	if err != nil {
		return err
	}
	if err := os.RemoveAll("vendor"); err != nil {
		return err
	}
	list := &bytes.Buffer{}
	for _, m := range modules {
		fmt.Fprintf(list, "# %s %s\n## explicit; go %s\n", m.path, m.version, m.language)
		if err := m.copy(modules, list); err != nil {
			return err
		}
		rest = append(rest, "require "+m.path+" "+m.version)
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	err = errors.Join(os.WriteFile("vendor/modules.txt", list.Bytes(), 0o666),
		os.WriteFile(file, []byte(strings.Join(rest, "\n")+"\n"), 0o666))
	if err != nil {
		return err
	}
	return sources(file, modules)
}

// sources prints the source packages of Go, and of the modules that the tool contains.
func sources(file string, modules []module) error {
	full, err := filepath.Abs(file)
	if err != nil {
		return err
	}
	used, err := command("go", "list", "-mod=vendor", "-modfile="+full, "-deps", "-f",
		"{{with .Module}}{{.Path}}{{end}}",
		"./cmd/vkloader")
	if err != nil {
		return err
	}
	root, err := command("go", "env", "GOROOT")
	if err != nil {
		return err
	}
	real, err := filepath.EvalSymlinks(filepath.Join(root, "src/runtime/runtime.go"))
	if err != nil {
		return err
	}
	list := []string{}
	if source, _, err := owner(real); err != nil {
		return err
	} else {
		list = append(list, source)
	}
	for _, m := range modules {
		if slices.Contains(strings.Fields(used), m.path) {
			list = append(list, m.source)
		}
	}
	slices.Sort(list)
	fmt.Println(strings.Join(slices.Compact(list), ", "))
	return nil
}

// command runs a program and returns its standard output without the space at its end.
func command(name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Stderr = os.Stderr
	out, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s: %w", strings.Join(c.Args, " "), err)
	}
	return strings.TrimSpace(string(out)), nil
}

// owner returns the source package of the package that has the file, as the field Static-Built-Using takes it, and its
// version.
func owner(file string) (source, version string, err error) {
	found, err := command("dpkg", "-S", file)
	if err != nil {
		return "", "", err
	}
	name, _, _ := strings.Cut(found, ": ")
	name, _, _ = strings.Cut(name, ", ")
	answer, err := command("dpkg-query", "-W", "-f", "${source:Package} ${source:Version}", name)
	source, version, _ = strings.Cut(answer, " ")
	return source + " (= " + version + ")", version, err
}

var (
	requirement = regexp.MustCompile(`^\s*(?:require )?(\S+\.\S+/\S+) v\S+`)
	major       = regexp.MustCompile(`/v[0-9]+$`)
	goLine      = regexp.MustCompile(`(?m)^go (\S+)$`)
	upstream    = regexp.MustCompile(`^(?:\d+:)?(\d+\.\d+(?:\.\d+)?)`)
)

// find returns the installed modules among the requirements of go.mod, the installed modules that these require, and
// the other lines of go.mod.
func find(text []byte) (modules []module, rest []string, err error) {
	language := "1.24"
	if found := goLine.FindSubmatch(text); found != nil {
		language = string(found[1])
	}
	var wanted []string
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if found := requirement.FindStringSubmatch(line); found != nil {
			wanted = append(wanted, found[1])
		} else if line != ")" && line != "require (" {
			rest = append(rest, line)
		}
	}
	for own, i := len(wanted), 0; i < len(wanted); i++ {
		m := module{path: wanted[i]}
		for _, directory := range []string{m.path, major.ReplaceAllString(m.path, "")} {
			real, err := filepath.EvalSymlinks(filepath.Join(installed, directory))
			if entries, _ := os.ReadDir(real); err == nil && len(entries) > 0 {
				m.directory = real
				break
			}
		}
		if m.directory == "" {
			if i < own {
				fmt.Fprintf(os.Stderr, "debmodules: %s is not installed\n", m.path)
			}
			continue
		}
		if err := m.look(language); err != nil {
			return nil, nil, err
		}
		modules = append(modules, m)
		text, _ := os.ReadFile(filepath.Join(m.directory, "go.mod"))
		for line := range strings.Lines(string(text)) {
			if found := requirement.FindStringSubmatch(line); found != nil && !slices.Contains(wanted, found[1]) {
				wanted = append(wanted, found[1])
			}
		}
	}
	return modules, rest, nil
}

// look sets the module's version and source package, from dpkg, and its version of Go.
func (m *module) look(language string) error {
	source, version, err := owner(m.directory)
	if err != nil {
		return err
	}
	numbers := upstream.FindStringSubmatch(version)
	if numbers == nil {
		return fmt.Errorf("%s: the version %s does not begin with numbers", m.path, version)
	}
	m.source, m.version, m.language = source, "v"+numbers[1], language
	if strings.Count(numbers[1], ".") == 1 {
		m.version += ".0"
	}
	if text, err := os.ReadFile(filepath.Join(m.directory, "go.mod")); err == nil {
		if found := goLine.FindSubmatch(text); found != nil {
			m.language = string(found[1])
		}
	}
	return nil
}

// copy copies the module's files, without tests, to vendor/, and adds its packages to the list of modules.txt. It skips
// the directories of other modules.
func (m *module) copy(modules []module, list *bytes.Buffer) error {
	return filepath.WalkDir(m.directory, func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		below, _ := filepath.Rel(m.directory, file)
		if d.IsDir() {
			isOther := func(o module) bool { return o.path != m.path && o.directory == file }
			other := below != "." && slices.ContainsFunc(modules, isOther)
			if other || d.Name() == "testdata" || below != "." && strings.HasPrefix(d.Name(), "_") {
				return fs.SkipDir
			}
			if p, err := build.ImportDir(file, 0); err == nil && len(p.GoFiles) > 0 {
				fmt.Fprintln(list, path.Join(m.path, filepath.ToSlash(below)))
			}
			return nil
		}
		if !d.Type().IsRegular() || strings.HasSuffix(file, "_test.go") || below == "go.mod" || below == "go.sum" {
			return nil
		}
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		to := filepath.Join("vendor", m.path, below)
		if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
			return err
		}
		return os.WriteFile(to, text, 0o666)
	})
}
