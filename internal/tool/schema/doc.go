// Package schema judges a parsed document by a JSON Schema. It knows the part of JSON Schema 2020-12 that the published
// schemas of manifests and settings use; a schema with another keyword is refused. It is small because every start of
// the tool pays for what the tool links: tests compare it with a complete implementation.
//
// Names of members are compared without regard to case, and of several members of one name the first counts, as
// loaders do (LAY-11, LAY-12).
package schema
