// Package component makes a driver out of a component URL: it finds the package, has the runner open its directories,
// reads metadata and manifest, and takes the library's bytes. It starts no process, reaches no network, and opens nothing
// outside the package.
package component
