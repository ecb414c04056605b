package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// selection holds the tests to run for a change: the names of tests by package. A package with the name "." has all of its tests.
type selection map[string]map[string]bool

func (s selection) add(pack, name string) {
	if s[pack] == nil {
		s[pack] = map[string]bool{}
	}
	s[pack][name] = true
}

// print prints one line for each package: its directory, and the expression for "go test -run".
func (s selection) print() {
	for _, pack := range sortedKeys(s) {
		run := "."
		if names := sortedKeys(s[pack]); !s[pack]["."] {
			run = "^(" + strings.Join(names, "|") + ")$"
		}
		fmt.Printf("%s %s\n", pack, run)
	}
}

func sortedKeys[V any](m map[string]V) (keys []string) {
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

var hunk = regexp.MustCompile(`(?m)^@@ -\S+ \+(\d+)(?:,(\d+))? @@`)

// changedLines returns the numbers of the lines of a diff's new side. Where lines were only deleted, it returns the line before.
func changedLines(diff string) (list []int) {
	for _, m := range hunk.FindAllStringSubmatch(diff, -1) {
		from, _ := strconv.Atoi(m[1])
		count := 1
		if m[2] != "" {
			count, _ = strconv.Atoi(m[2])
		}
		for n := range max(count, 1) {
			list = append(list, max(from, 1)+n)
		}
	}
	return list
}

// executing adds the tests that execute one of the lines of a file: by the atlas, the tests of the line, or else of its
// function. It reports whether the atlas knows the file.
func (a *atlas) executing(file, text string, list []int, out selection) (known bool) {
	if a.Sources[file] == "" {
		return false
	}
	for _, n := range list {
		line := a.atlasLine(mutant{file: file, text: text, line: n})
		from, to, inside := a.function(file, line)
		if !inside {
			continue
		}
		at, near := selection{}, selection{}
		for name, c := range a.Tests {
			test := parseName(name)
			switch {
			case c.Unsound:
			case slices.Contains(c.Lines[file], line):
				at.add(test.pack, test.name)
			case slices.ContainsFunc(c.Lines[file], func(l int) bool { return l >= from && l <= to }):
				near.add(test.pack, test.name)
			}
		}
		if len(at) == 0 {
			at = near
		}
		for pack, names := range at {
			for name := range names {
				out.add(pack, name)
			}
		}
	}
	return true
}

// printChanged prints the tests that execute the lines that differ from a commit. Files that the atlas does not know, such as all
// files before the first survey, have the tests of the packages that are linked with them.
func printChanged(base string) error {
	a, err := readAtlas(filepath.Join(state, "atlas.json"))
	if err != nil {
		return err
	}
	files, err := exec.Command("tools/changed.sh", base).Output()
	if err != nil {
		return err
	}
	users, err := linkedWith()
	if err != nil {
		return err
	}
	out := selection{}
	for _, file := range strings.Fields(string(files)) {
		text, err := os.ReadFile(file)
		if err != nil {
			continue // a deleted file: its users have changed as well
		}
		source := strings.HasSuffix(file, ".go") && !strings.HasSuffix(file, "_test.go") || strings.HasSuffix(file, ".c")
		if source {
			diff, err := exec.Command("git", "diff", "-U0", base, "--", file).Output()
			if err != nil {
				return err
			}
			if list := changedLines(string(diff)); len(list) > 0 && a.executing(file, string(text), list, out) {
				continue
			}
		}
		packages, err := packagesFor(file, users)
		if err != nil {
			return err
		}
		if len(packages) == 0 {
			fmt.Fprintf(os.Stderr, "mutants: no test is known for %s\n", file)
		}
		for _, pack := range packages {
			out.add(pack, ".")
		}
	}
	out.print()
	return nil
}

// packagesFor returns the test packages for a file. users lists, for each directory, the packages whose tests are
// linked with it. A file of the spine has the tests of its directory; the C of test/lib has all tests that use
// package world. Any other file has the packages that are linked with its directory, or with the nearest directory
// above, because embedded files and testdata are below their package. Files that belong to no package, such as pages
// and scripts, have test/source and the tests whose text contains their names.
func packagesFor(file string, users map[string][]string) (packages []string, err error) {
	if isInSpine(file) {
		if pack := aboutFile(file); pack != "" {
			return []string{pack}, nil
		}
		return []string{"test/loader/chain"}, nil
	}
	for directory := filepath.Dir(file); directory != "." && directory != "test/lib"; directory = filepath.Dir(directory) {
		if list := users[directory]; list != nil {
			return list, nil
		}
	}
	if strings.HasPrefix(file, "test/lib/") {
		return users["test/lib/world"], nil
	}
	// "git grep" ends with 1 if no line matches.
	named, err := exec.Command("git", "grep", "-lE", `["/`+"`"+`]`+regexp.QuoteMeta(filepath.Base(file))+`["`+"`"+`]`,
		"--", "*_test.go").Output()
	if ended := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &ended) || ended.ExitCode() != 1) {
		return nil, err
	}
	packages = []string{"test/source"}
	for _, test := range strings.Fields(string(named)) {
		if pack := filepath.Dir(test); !slices.Contains(packages, pack) {
			packages = append(packages, pack)
		}
	}
	return packages, nil
}

// linkedWith returns, for each directory of the module, the packages whose tests are linked with it.
func linkedWith() (map[string][]string, error) {
	list := exec.Command("go", "list", "-test", "-f", `{{if .ForTest}}{{.ForTest}} {{join .Deps " "}}{{end}}`, "./...")
	text, err := list.Output()
	if err != nil {
		return nil, err
	}
	module, err := exec.Command("go", "list", "-m").Output()
	if err != nil {
		return nil, err
	}
	prefix := strings.TrimSpace(string(module)) + "/"
	users := map[string][]string{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		of := strings.TrimPrefix(words[0], prefix)
		for _, dependency := range words {
			if inside, ours := strings.CutPrefix(dependency, prefix); ours && !slices.Contains(users[inside], of) {
				users[inside] = append(users[inside], of)
			}
		}
	}
	return users, nil
}
