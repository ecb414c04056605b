// Package emit writes the C code: types, constant data, functions, and one function that C can call for each exported
// Go function.
//
// The output compiles with -fwrapv -fno-strict-aliasing -ffp-contract=off, together with the run-time support in
// internal/core/runtime. The same source gives the same bytes.
package emit
