package probe

import "context"

// Interruptible returns a context for children, which end with the tool in any case on Windows.
func Interruptible(parent context.Context) (ctx context.Context, done func()) {
	return context.WithCancel(parent)
}
