// Command conformance prints a table: every statement with the tests that check it, or the reason for none.
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"vkloader/tools/conformance/table"
)

func main() {
	top := flag.String("top", ".", "the repository's top directory")
	extract := flag.String("extract", "", "make test/conformance/statements.txt from the specification in this directory")
	flag.Parse()
	if err := run(*top, *extract); err != nil {
		fmt.Fprintf(os.Stderr, "conformance: %v\n", err)
		os.Exit(1)
	}
}

func run(top, extract string) error {
	statements := filepath.Join(top, "test/conformance/statements.txt")
	if extract != "" {
		documents, err := table.Extract(extract)
		if err != nil {
			return err
		}
		guest := table.Document{Name: "guest-rules"}
		for i := 1; i <= 13; i++ {
			guest.Statements = append(guest.Statements, table.Statement{ID: fmt.Sprintf("G-%d", i)})
		}
		if err := os.WriteFile(statements, []byte(table.Write(append(documents, guest))), 0o644); err != nil {
			return err
		}
	}
	text, problems := table.Make(top)
	for _, problem := range problems {
		fmt.Fprintf(os.Stderr, "conformance: %v\n", problem)
	}
	if len(problems) > 0 {
		return fmt.Errorf("%d problems", len(problems))
	}
	_, err := os.Stdout.WriteString(text)
	return err
}
