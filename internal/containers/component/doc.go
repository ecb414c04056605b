// Package component turns a component URL into a driver: it finds the package, lets the runner open its directories,
// reads metadata and manifest, and reads the library. It starts no process, uses no network, and opens nothing outside
// the package.
package component
