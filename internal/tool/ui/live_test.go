package ui

import (
	"context"
	"fmt"
	"testing"
	"time"

	"vkloader/internal/decide/process"
)

// Without an event, the page of programs looks four times and then rests. An event without a new state changes nothing on the page.
func TestFollowRests(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	var clock time.Duration // of the waits with an end
	looks, changes, rests := 0, 0, 0
	state := "one"
	wait := func(_ []*process.Process, limit time.Duration) bool {
		if limit >= 0 {
			clock += limit
			return false
		}
		switch rests++; rests {
		case 1: // a program has opened a file, and nothing else
			return true
		case 2: // a program has started
			state = "two"
			return true
		}
		cancel()
		return false
	}
	follow(ctx, func() ([]*process.Process, string) { looks++; return nil, state }, wait, func() { changes++ })
	if got := fmt.Sprint(rests, looks, changes, clock); got != "3 12 2 9s" {
		t.Errorf("rests, looks, changes and seconds: %s", got)
	}
}
