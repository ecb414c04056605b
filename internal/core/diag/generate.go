package diag

//go:generate go run vkloader/tools/pages findings ../../../docs/findings.md
