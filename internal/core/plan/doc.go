// Package plan is the decision: which drivers and layers, in which order, and for everything found why it is in or out.
//
// It is a pure function of a question and of facts. What it wants logged stands in its answer, in order; it reads
// nothing, opens nothing and keeps nothing.
package plan
