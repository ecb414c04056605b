// Package elevated tests the loader in a process with more rights than its user: a set-user-ID host, a set-group-ID host, and a host
// with a file capability, run by an ordinary user. The kernel sets AT_SECURE for them, and ld.so ignores LD_PRELOAD, so there is no
// interposer: the case's directories are mounted over the system's in a mount namespace of the host. Making such programs and mounts
// needs root; without it the tests are skipped.
//
// test/loader/discovery tests simulated elevation, without root.
package elevated
