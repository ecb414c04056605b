// Package loader decides what the registry's commands and extensions are to a loader on Linux or Windows: which of them
// it knows, what each command is dispatched on, where it ends, and which name is exported. The registry's rule decides;
// what the rule cannot know stands in exceptions.go, one line each.
package loader
