// Package table makes the table of statements and the tests that hold them: it reads the list of statement ids, the
// reasons for ids without a test, and the "holds:" comments of the tests' source. It runs no test.
package table
