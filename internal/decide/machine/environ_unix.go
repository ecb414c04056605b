//go:build unix

package machine

func sameVariable(a, b string) bool { return a == b }
