package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// excluded has the test packages, by their last name, that no fault runs: they are long, or not about the behavior of
// the library.
var excluded = map[string]bool{"storm": true, "conformance": true, "source": true, "bench": true, "compute": true}

// linked has the directories of this module that each package's test program is linked from.
type linked map[string]map[string]bool

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
