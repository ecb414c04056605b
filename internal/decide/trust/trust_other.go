//go:build !linux

package trust

// Privileged returns false: the rule is only about Linux. Windows and macOS have other rules for owners of files.
func Privileged() bool { return false }

// Path returns nil.
func Path(string) error { return nil }

// In returns nil.
func In(string, string) error { return nil }

// Alone returns false: only Linux has user namespaces.
func Alone() bool { return false }
