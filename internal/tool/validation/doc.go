// Package validation checks one driver manifest, layer manifest or settings file: as strict JSON, by the published JSON
// Schema, and by the loader's own rules, some of which are laxer and some stricter.
//
// It implements the keywords of JSON Schema 2020-12 that the published schemas use, and no other
// keywords. It compares member names case-insensitively. Of several members with one name, the first counts, as in
// loaders (LAY-11, LAY-12). Tests compare the package with github.com/santhosh-tekuri/jsonschema. The tool does not
// link that package: it would be 0.9 MB larger, and each start would take 14 ms more processor time.
//
// The package reads bytes only. It does not check whether the libraries and files that a file names exist.
package validation
