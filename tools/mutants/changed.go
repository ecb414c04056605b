package main

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// excluded has the test packages, by their last name, that no fault runs: they are long, or not about the behavior of the
// library.
var excluded = map[string]bool{"storm": true, "conformance": true, "source": true, "bench": true, "compute": true}

// linked has the directories of this module that each package's test program is linked from.
type linked map[string]map[string]bool

// users returns the packages whose tests are linked with a directory.
func (l linked) users(directory string) (packages []string) {
	for pack, needs := range l {
		if needs[directory] {
			packages = append(packages, pack)
		}
	}
	return packages
}

// printChanged prints the packages whose tests are about the files that differ from a commit.
func printChanged(base string) error {
	files, err := exec.Command("tools/changed.sh", base).Output()
	if err != nil {
		return err
	}
	all, err := readLinked(".")
	if err != nil {
		return err
	}
	out := map[string]bool{}
	for _, file := range strings.Fields(string(files)) {
		packages, err := packagesFor(file, all)
		if err != nil {
			return err
		}
		if len(packages) == 0 {
			fmt.Fprintf(os.Stderr, "mutants: no test is known for %s\n", file)
		}
		for _, pack := range packages {
			out[pack] = true
		}
	}
	for _, pack := range slices.Sorted(maps.Keys(out)) {
		fmt.Println("./" + pack)
	}
	return nil
}

// about names the package whose tests are about a file of the spine; they come first. A file takes precedence
// over its directory.
var about = map[string]string{
	"callback": "test/loader/debug", "configuration": "test/loader/discovery", "core": "test/loader/guest",
	"device":  "test/loader/chain",
	"display": "test/loader/physdev", "driver": "test/loader/drivers", "exit": "test/loader/guest",
	"filter": "test/loader/instance", "gate": "test/loader/guest",
	"global": "test/loader/discovery", "group": "test/loader/physdev", "instance": "test/loader/chain",
	"plan":  "test/loader/discovery",
	"layer": "test/loader/layers", "library": "test/loader/drivers", "log": "test/loader/discovery",
	"answer_cache": "test/loader/guest", "memory": "test/loader/drivers",
	"messenger": "test/loader/debug", "missing": "test/loader/dispatch", "names": "test/loader/dispatch",
	"naming":  "test/loader/debug",
	"objects": "test/loader/chain", "physdev": "test/loader/physdev", "query": "test/loader/physdev",
	"read": "test/loader/discovery",
	"sort": "test/loader/physdev", "surface": "test/loader/wsi", "surface_query": "test/loader/wsi",
	"swapchain": "test/loader/wsi",
	"text":      "test/loader/physdev", "unknown": "test/loader/dispatch", "ask": "test/loader/guest",
	"process": "test/loader/guest", "state": "test/loader/drivers",
	"dispatch": "test/loader/dispatch", "wsi": "test/loader/wsi", "debug": "test/loader/debug",
}

func aboutFile(file string) string {
	if pack := about[strings.TrimSuffix(filepath.Base(file), ".c")]; pack != "" {
		return pack
	}
	return about[filepath.Base(filepath.Dir(file))]
}

// packagesFor returns the test packages for a file. A file of the spine has the tests of its directory; the C of test/lib
// has all tests that use package world. Any other file has the packages that are linked with its directory, or with the nearest directory
// above, because embedded files and testdata are below their package. Files that belong to no package, such as pages
// and scripts, have test/source and the tests whose text contains their names.
func packagesFor(file string, all linked) (packages []string, err error) {
	if isInSpine(file) {
		if pack := aboutFile(file); pack != "" {
			return []string{pack}, nil
		}
		return []string{"test/loader/chain"}, nil
	}
	for directory := filepath.Dir(file); directory != "." && directory != "test/lib"; directory = filepath.Dir(directory) {
		if list := all.users(directory); list != nil {
			return list, nil
		}
	}
	if strings.HasPrefix(file, "test/lib/") {
		return all.users("test/lib/world"), nil
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

// readLinked lists the packages with tests below a directory, and what their test programs are linked from.
func readLinked(top string) (linked, error) {
	list := exec.Command("go", "list", "-test", "-f", `{{if .ForTest}}{{.ForTest}} {{join .Deps " "}}{{end}}`, "./...")
	list.Dir = top
	text, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	all := linked{}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		if len(words) == 0 {
			continue
		}
		pack := strings.TrimPrefix(words[0], "vkloader/")
		if all[pack] == nil {
			all[pack] = map[string]bool{}
		}
		for _, dependency := range words {
			if directory, ours := strings.CutPrefix(dependency, "vkloader/"); ours {
				all[pack][directory] = true
			}
		}
	}
	return all, nil
}
