// Package runtime contains the C run-time support of translated code.
package runtime

import _ "embed"

//go:embed c/goc.c
var text string

//go:embed c/print.c
var printing string

// Text is the run-time support; with printing, for programs of their own, which tests are.
func Text(print bool) string {
	if print {
		return text + printing
	}
	return text
}
