// Command conformance prints a table: every statement with the tests that check it, or the reason for none.
package main

import (
	"fmt"
	"os"

	"vkloader/tools/conformance/table"
)

func main() {
	text, problems := table.Make(".")
	for _, problem := range problems {
		fmt.Fprintf(os.Stderr, "conformance: %v\n", problem)
	}
	if len(problems) > 0 {
		os.Exit(1)
	}
	fmt.Print(text)
}
