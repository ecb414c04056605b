// Package component turns a component URL into a driver: it finds the package, has the runner open its directories,
// reads metadata and manifest, and takes the library's bytes. It starts no process, uses no network, and opens nothing
// outside the package.
package component
