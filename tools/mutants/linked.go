package main

import (
	"fmt"
	"os/exec"
	"strings"
)

// excluded has the test packages, by their last name, that no fault runs: they are long, or not about the behavior of
// the library.
var excluded = map[string]bool{"storm": true, "conformance": true, "source": true, "bench": true, "compute": true}

// linked has the directories of this module that each package's test program is linked from.
type linked map[string]map[string]bool

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
