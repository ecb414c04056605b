// Package runtime contains the C run-time support of translated code.
package runtime

import _ "embed"

// Text is the C source of the run-time support.
//
//go:embed c/goc.c
var Text string
