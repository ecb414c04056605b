// Package platforms has the platforms that only the tool decides for: which places the systems search that the library
// is not built for. What they share with Linux is in package search.
package platforms
