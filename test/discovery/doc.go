// Package discovery holds the statements about finding manifests, reading them, filtering, and which layers become
// active in which order: each case runs the built library in a world of its own and judges by what it returns and logs.
package discovery
