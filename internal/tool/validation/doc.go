// Package validation judges one driver manifest, layer manifest or settings file: as JSON that every program reads, by
// the published JSON Schema, and by the loader's own rules, which are laxer in some points and stricter in others.
//
// It knows the part of JSON Schema 2020-12 that the published schemas use; a schema with another keyword is refused. It obeys
// a schema as it is written, without preparing it. This reader is small because every start of the tool
// pays for what the tool links: with github.com/santhosh-tekuri/jsonschema, the complete implementation that tests compare it
// with, the tool is 0.9 MB larger and each start takes 14 ms of processor time more, in which 1.7 MB are allocated. Names of
// members are compared without regard to case, and of several members of one name the first counts, as loaders do (LAY-11,
// LAY-12).
//
// It reads bytes only: whether the libraries and files that a file names exist is no question for it.
package validation
