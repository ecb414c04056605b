// Package emit writes C: types, constant data, functions, and for each exported function one that C can call.
//
// What is written compiles with -fwrapv -fno-strict-aliasing -ffp-contract=off, together with the run-time support of
// tools/goc/runtime. The same source gives the same bytes.
package emit
