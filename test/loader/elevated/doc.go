// Package elevated tests the loader in a process with more rights than its user: a set-user-ID, a
// set-group-ID host and one with a file capability, run by an ordinary user. The kernel sets AT_SECURE there, and ld.so
// ignores LD_PRELOAD, so there is no interposer: the case's directories are mounted over the system's own, in a mount
// namespace of the host. Making such a program and such mounts takes root; without it the tests are skipped.
//
// Elevation as it is played to the loader, without root, is tested in test/loader/discovery.
package elevated
