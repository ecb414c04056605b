// Package extensions holds all extensions of the registry, generated from it. It decides nothing.
package extensions
