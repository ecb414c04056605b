package server

import (
	"context"
	"log/slog"
	"sync"
	"time"
)

// Limits of the log lines about one person's clients.
const (
	maxLines   = 100
	linePeriod = time.Minute
)

// lines counts the log lines that each person's clients have caused in a period.
type lines struct {
	mu     sync.Mutex
	since  time.Time
	counts map[person]int
}

// more counts a line, and reports whether it is written and whether it is the last one of the period.
func (l *lines) more(p person, now time.Time) (write, last bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.counts == nil || now.Sub(l.since) >= linePeriod {
		l.since, l.counts = now, map[person]int{}
	}
	l.counts[p]++
	return l.counts[p] <= maxLines, l.counts[p] == maxLines
}

// quiet limits the log lines about one person's clients.
type quiet struct {
	slog.Handler
	lines  *lines
	person person
}

// Handle implements slog.Handler.
func (q *quiet) Handle(ctx context.Context, r slog.Record) error {
	write, last := q.lines.more(q.person, r.Time)
	if !write {
		return nil
	}
	if last {
		r = r.Clone()
		r.Add("note", "further messages about this user's clients are left out for up to a minute")
	}
	return q.Handler.Handle(ctx, r)
}

// WithAttrs implements slog.Handler.
func (q *quiet) WithAttrs(attrs []slog.Attr) slog.Handler {
	return &quiet{q.Handler.WithAttrs(attrs), q.lines, q.person}
}

// WithGroup implements slog.Handler.
func (q *quiet) WithGroup(name string) slog.Handler {
	return &quiet{q.Handler.WithGroup(name), q.lines, q.person}
}
