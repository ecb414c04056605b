// Package layers tests the call chains: loading and negotiation, links and callbacks, calls that layers may make, and
// faulty layers.
package layers
