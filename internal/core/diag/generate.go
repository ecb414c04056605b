package diag

//go:generate go run ./findings ../../../docs/findings.md
