// Package worlds compares, in random worlds, what the decision says with what drivers and layers saw.
//
// A world is random folders, manifests (good, odd, broken), variables, a settings file and what a program asks for. The
// expectation is what internal/core/plan decides with facts that are read from the same files; the observation is what the
// fake drivers and layers wrote down, what the interposer saw being opened, and what the program got. The loader's own
// log is never looked at.
//
//	go test ./test/worlds -args -worlds 2000 -seed 1   more of them
//	go test ./test/worlds -args -worlds 1 -seed 77     one again; it is shown, and made smaller when it fails
//
// The same worlds, for a program that asks for nothing of its own, are explained by the built tool, and what its JSON says
// is compared with the same observation.
//
//	go test ./test/worlds -run Foretells -args -toolworlds 2000
package worlds
