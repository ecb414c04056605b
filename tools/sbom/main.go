// Command sbom lists the modules in a Go program as SPDX 2.3, in JSON.
//
//	sbom -version 1.0.0 -date 1795000000 -license Apache-2.0 ./cmd/vkloader > vkloader.spdx.json
//
// The date is in seconds since 1970; the same arguments and modules give the same bytes. The modules are those of the packages in
// the program on Linux, from "go list". The licences of other modules are NOASSERTION, because sbom does not read them.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"os/exec"
	"path"
	"slices"
	"strings"
	"time"
)

// document is an SPDX document, as JSON.
type document struct {
	Version       string         `json:"spdxVersion"`
	License       string         `json:"dataLicense"`
	ID            string         `json:"SPDXID"`
	Name          string         `json:"name"`
	Namespace     string         `json:"documentNamespace"`
	Creation      creation       `json:"creationInfo"`
	Packages      []pkg          `json:"packages"`
	Relationships []relationship `json:"relationships"`
}

type creation struct {
	Created  string   `json:"created"`
	Creators []string `json:"creators"`
}

type pkg struct {
	ID        string     `json:"SPDXID"`
	Name      string     `json:"name"`
	Version   string     `json:"versionInfo"`
	Location  string     `json:"downloadLocation"`
	Analyzed  bool       `json:"filesAnalyzed"`
	Concluded string     `json:"licenseConcluded"`
	Declared  string     `json:"licenseDeclared"`
	Copyright string     `json:"copyrightText"`
	External  []external `json:"externalRefs,omitempty"`
}

type external struct {
	Category string `json:"referenceCategory"`
	Type     string `json:"referenceType"`
	Locator  string `json:"referenceLocator"`
}

type relationship struct {
	From string `json:"spdxElementId"`
	Kind string `json:"relationshipType"`
	To   string `json:"relatedSpdxElement"`
}

func main() {
	log.SetFlags(0)
	log.SetPrefix("sbom: ")
	version := flag.String("version", "", "the program's version")
	date := flag.Int64("date", 0, "when it was made, in seconds since 1970")
	license := flag.String("license", "NOASSERTION", "the program's licence, by its SPDX name")
	flag.Parse()
	if flag.NArg() != 1 || *version == "" {
		log.Fatal("usage: sbom -version VERSION -date SECONDS [-license NAME] PACKAGE")
	}
	modules, err := modules(flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	name := path.Base(flag.Arg(0))
	d := document{Version: "SPDX-2.3", License: "CC0-1.0", ID: "SPDXRef-DOCUMENT", Name: name + "-" + *version,
		Namespace: "https://spdx.invalid/" + name + "-" + *version,
		Creation:  creation{time.Unix(*date, 0).UTC().Format(time.RFC3339), []string{"Tool: sbom"}}}
	add := func(id, name, version, license string, external ...external) {
		d.Packages = append(d.Packages, pkg{id, name, version, "NOASSERTION", false, license, license, "NOASSERTION",
			external})
	}
	add("SPDXRef-program", name, *version, *license)
	d.Relationships = append(d.Relationships, relationship{"SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-program"})
	for i, m := range modules {
		id := fmt.Sprintf("SPDXRef-module-%d", i)
		add(id, m.path, m.version, "NOASSERTION", external{"PACKAGE-MANAGER", "purl", "pkg:golang/" + m.path + "@" +
			m.version})
		d.Relationships = append(d.Relationships, relationship{"SPDXRef-program", "STATIC_LINK", id})
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(d); err != nil {
		log.Fatal(err)
	}
}

type module struct{ path, version string }

// modules returns the modules of the packages in a program, and Go's standard library, by their paths.
func modules(program string) ([]module, error) {
	list := exec.Command("go", "list", "-deps", "-f", "{{with .Module}}{{.Path}} {{.Version}}{{end}}", program)
	list.Env = append(os.Environ(), "GOOS=linux")
	list.Stderr = os.Stderr
	out, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", strings.Join(list.Args, " "), err)
	}
	toolchain, err := exec.Command("go", "env", "GOVERSION").Output()
	if err != nil {
		return nil, fmt.Errorf("go env GOVERSION: %w", err)
	}
	found := []module{{"std", strings.TrimPrefix(string(bytes.TrimSpace(toolchain)), "go")}}
	for line := range strings.Lines(string(out)) {
		if f := strings.Fields(line); len(f) == 2 && !slices.Contains(found, module{f[0], f[1]}) {
			found = append(found, module{f[0], f[1]})
		}
	}
	slices.SortFunc(found, func(a, b module) int { return strings.Compare(a.path, b.path) })
	return found, nil
}
