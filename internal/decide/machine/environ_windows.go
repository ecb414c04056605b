package machine

import "strings"

// sameVariable compares names without regard to case, as the system does.
func sameVariable(a, b string) bool { return strings.EqualFold(a, b) }
