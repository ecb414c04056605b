// Package served parses the messages of the driver service: the drivers that it offers, and the files that each driver
// needs, in the order in which the library opens them (docs/rationale.md).
//
// The package trusts none of it. It checks every number and name, and drops a driver with an invalid one. It opens
// nothing, and does not parse the manifests.
package served
