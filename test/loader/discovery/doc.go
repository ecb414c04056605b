// Package discovery tests finding, reading and filtering manifests, and the active layers and their order. Each case
// runs the built library in a separate world, and checks its results and its log.
package discovery
