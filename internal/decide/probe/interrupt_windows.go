package probe

import "context"

// Interruptible is a context for children: here these end with the tool in any case.
func Interruptible() (ctx context.Context, done func()) {
	return context.WithCancel(context.Background())
}
