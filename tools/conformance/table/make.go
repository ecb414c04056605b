package table

import "path/filepath"

// Make renders the table of the repository at top.
func Make(top string) (string, []error) {
	documents, err := Read(filepath.Join(top, "test/conformance/statements.txt"))
	if err != nil {
		return "", []error{err}
	}
	order := OrderOf(documents)
	reasons, err := ReadReasons(filepath.Join(top, "test/conformance/reasons.txt"), order)
	if err != nil {
		return "", []error{err}
	}
	holds, problems := Tests(top, order)
	text, more := Render(documents, holds, reasons)
	return text, append(problems, more...)
}
