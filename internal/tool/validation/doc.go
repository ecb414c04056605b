// Package validation judges one driver manifest, layer manifest or settings file: as JSON that every program reads, by
// the published JSON Schema, and by the loader's own rules, which are laxer in some points and stricter in others.
//
// It implements the keywords of JSON Schema 2020-12 that the published schemas use, and refuses a schema with another one.
// It compares names of members without regard to case. Of several members with one name, the first counts, as in loaders
// (LAY-11, LAY-12). Tests compare it with github.com/santhosh-tekuri/jsonschema. The tool does not link that package: it
// would be 0.9 MB larger, and each start would take 14 ms more processor time.
//
// The package reads bytes only. It does not check whether the libraries and files that a file names exist.
package validation
