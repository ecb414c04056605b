// Package discovery holds the statements about finding manifests, reading them, filtering, and the active layers and their
// order: each case runs the built library in a world of its own and judges by its results and its log.
package discovery
