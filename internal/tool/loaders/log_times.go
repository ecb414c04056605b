package loaders

import (
	"time"
)

// LogTimes reads from the loader's log when each driver and layer was opened. A line of the loader stands before each
// opening and another one after it, in the same call; what a program does between two calls is in none of the times.
type LogTimes struct {
	began  time.Time
	Seen   bool          // any line of the loader
	Loaded time.Duration // until the first one
	Opened []*Opening
	open   *Opening // that has begun
	since  time.Time
}

// Opening is all openings of one library.
type Opening struct {
	Kind, Name, Library string
	Times               int
	First, Total        time.Duration
}

// NewLogTimes begins to read, of a program that was started at some moment.
func NewLogTimes(began time.Time) *LogTimes { return &LogTimes{began: began} }

// Line takes a line of the log, and when it came.
func (t *LogTimes) Line(text string, at time.Time) {
	line, ok := ParseLog(text)
	if !ok {
		return
	}
	if !t.Seen {
		t.Seen, t.Loaded = true, at.Sub(t.began)
	}
	if t.open != nil {
		spent := at.Sub(t.since)
		if t.open.Times == 0 {
			t.open.First = spent
		}
		t.open.Times++
		t.open.Total += spent
		if line.Kind == LayerInserted {
			t.open.Name = line.Name
		}
		t.open = nil
	}
	switch line.Kind {
	case DriverOpens:
		t.open, t.since = t.of("driver", line.Library), at
	case LayerOpens:
		t.open, t.since = t.of("layer", line.Library), at
	}
}

func (t *LogTimes) of(kind, library string) *Opening {
	for _, o := range t.Opened {
		if o.Kind == kind && o.Library == library {
			return o
		}
	}
	o := &Opening{Kind: kind, Library: library}
	t.Opened = append(t.Opened, o)
	return o
}
