package constructs

// opaque is a value that no compiler knows.
//
//go:noinline
func opaque[T any](v T) T { return v }
