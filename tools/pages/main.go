// Command pages writes the pages that are generated from the tables of findings, of loaders' features and of variables:
// docs/findings.md, docs/loaders.md, docs/variables.md, the spine's header of variables, and the constants of codes.
package main

import (
	"fmt"
	"os"
)

// pages are the texts, by the name of the file.
var pages = map[string]func() string{
	"findings": findingsPage, "loaders": loadersPage, "variables": variablesPage, "header": variablesHeader,
	"core-codes": coreCodes, "doctor-codes": doctorCodes,
}

func main() {
	if len(os.Args) != 3 || pages[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: pages findings|loaders|variables|header|core-codes|doctor-codes FILE")
		os.Exit(2)
	}
	if err := os.WriteFile(os.Args[2], []byte(pages[os.Args[1]]()), 0o644); err != nil {
		fmt.Fprintln(os.Stderr, "pages:", err)
		os.Exit(1)
	}
}
