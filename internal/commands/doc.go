// Package commands holds the commands that the loader knows, generated from the registry. It decides nothing.
package commands
