// Command conformance prints the table of statements and the tests that hold them. It reads statements.txt, which has all
// ids; reasons.txt, which says why an id has no test, and which of several permitted behaviors the loader has; and the
// "holds:" comments of the tests' source. It runs no test.
package main

import (
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	text, problems := makeTable(".")
	for _, problem := range problems {
		fmt.Fprintf(os.Stderr, "conformance: %v\n", problem)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
	fmt.Print(text)
}

// makeTable renders the table of the repository at top.
func makeTable(top string) (string, []error) {
	documents, err := readStatements(filepath.Join(top, "test/conformance/statements.txt"))
	if err != nil {
		return "", []error{err}
	}
	order := orderOf(documents)
	reasons, err := readReasons(filepath.Join(top, "test/conformance/reasons.txt"), order)
	if err != nil {
		return "", []error{err}
	}
	holds, problems := readTests(top, order)
	text, more := render(documents, holds, reasons)
	return text, append(problems, more...)
}
