// Package layers tests the call chains: loading and negotiation, links and callbacks, what layers may do inside, what
// happens when they misbehave.
package layers
