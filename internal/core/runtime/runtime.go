// Package runtime contains the C run-time support of translated code.
package runtime

import _ "embed"

//go:embed c/goc.c
var text string

//go:embed c/print.c
var printing string

// Text returns the C source of the run-time support; with print, also of what commands need. The translator's tests are
// commands.
func Text(print bool) string {
	if print {
		return text + printing
	}
	return text
}
