// Package loader decides how a loader on Linux, Windows or macOS treats the registry's commands and extensions: which
// ones it knows, which object a command is dispatched on, where a command ends, and which names are exported. A rule
// over the registry decides; exceptions.go has one line for each case that the rule cannot know.
package loader
