//go:build 386 || arm || mips || mipsle

package manifest

// goBits is the word size of Go's programs for this machine.
const goBits = "32"
