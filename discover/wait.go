package discover

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// Intervals between probes. After an event, more events usually follow: a driver makes several nodes.
const (
	settle    = 200 * time.Millisecond // from an event to the next probe
	firstPoll = time.Second            // from a probe to the next one without an event
	lastPoll  = 10 * time.Second       // the longest interval; it doubles after each probe
)

// Wait waits until the machine has devices that meet the requirement, and then returns nil. It calls [Probe] at once, and again
// after each event that may bring a device: a node below /dev, a manifest, an event of the kernel. Without an event it calls
// it again after 1 s, 2 s, 4 s and so on, up to every 10 s.
//
// If the context ends first, the error wraps the context's error and an *[UnmetError], which names the condition that is
// still not met. Other errors, such as [ErrNoProbe], end the wait.
func Wait(ctx context.Context, required Requirement) error {
	_, err := WaitWith(ctx, required, ProbeOptions{})
	return err
}

// WaitWith is [Wait] with options for the probe. It returns the report that meets the requirement, or the last one.
func WaitWith(ctx context.Context, required Requirement, options ProbeOptions) (*Report, error) {
	ctx = contextOr(ctx)
	if options.Env == nil {
		options.Env = os.Environ()
	}
	options.Whole = true
	if options.Limit == 0 {
		options.Limit = 30 * time.Second
	}
	w := watch()
	defer w.stop()
	var last *Report
	missing := errors.New("nothing was asked yet")
	for poll := firstPoll; ; poll = min(2*poll, lastPoll) {
		w.add(driverDirectories(ctx, options.Env)) // before the look: later changes are events
		report, err := Probe(ctx, options)
		switch {
		case ctx.Err() != nil:
			return last, fmt.Errorf("%w (%w)", missing, ctx.Err())
		case err != nil:
			return report, err
		}
		last = report
		if missing = required.Check(report); missing == nil {
			return report, nil
		}
		if !pause(ctx, w.events, poll) {
			return last, fmt.Errorf("%w (%w)", missing, ctx.Err())
		}
	}
}

// pause waits for an event, at most for a time; false when the context is over.
func pause(ctx context.Context, events <-chan struct{}, poll time.Duration) bool {
	timer := time.NewTimer(poll)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	case <-events:
	}
	timer.Reset(settle)
	for {
		select {
		case <-ctx.Done():
			return false
		case <-events: // an event does not prolong the pause: a machine may never be quiet
		case <-timer.C:
			return true
		}
	}
}

// driverDirectories returns the directories in which a driver can appear.
func driverDirectories(ctx context.Context, environ []string) (list []string) {
	answer, err := Decide(ctx, Local(), Program{Env: environ})
	if err != nil && !errors.Is(err, ErrNoDriver) {
		return list
	}
	for _, p := range answer.DriverList().Places {
		list = append(list, p.Path, filepath.Dir(p.Path))
	}
	return list
}
