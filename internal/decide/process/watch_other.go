//go:build !linux

package process

import (
	"context"
	"time"
)

// withoutEvents is the time between two checks.
const withoutEvents = 2 * time.Second

// Watch waits between two checks of the running programs.
type Watch struct{ ctx context.Context }

// NewWatch ignores the paths: this system reports no program that opens one.
func NewWatch(ctx context.Context, _ []string) (*Watch, error) { return &Watch{ctx}, nil }

// Wait waits for some time, or until the end of the context.
func (w *Watch) Wait([]*Process, time.Duration) bool {
	select {
	case <-w.ctx.Done():
	case <-time.After(withoutEvents):
	}
	return false
}

// Close does nothing.
func (*Watch) Close() {}
