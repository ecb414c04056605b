// Package validation judges one driver manifest, layer manifest or settings file: as JSON that every program reads, by
// the published JSON Schema, and by the loader's own rules, which are laxer in some points and stricter in others.
//
// It reads bytes only: whether the libraries and files that a file names exist is no question for it.
package validation
