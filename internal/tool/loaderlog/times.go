package loaderlog

import (
	"strings"
	"time"
)

// Times reads from the loader's log when each driver and layer was opened. A line of the loader stands before each
// opening and another one after it, in the same call; what a program does between two calls is in none of the times.
type Times struct {
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

// NewTimes begins to read, of a program that was started at some moment.
func NewTimes(began time.Time) *Times { return &Times{began: began} }

const (
	driverOpening = "Searching for ICD drivers named " // DRV-019
	layerOpening  = "Loading layer library "           // LAY-277
	layerInserted = `Insert instance layer "`          // LOG-20
)

// Line takes a line of the log, and when it came.
func (t *Times) Line(line string, at time.Time) {
	_, body, ok := Body(line)
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
		if rest, ok := strings.CutPrefix(body, layerInserted); ok {
			t.open.Name, _, _ = strings.Cut(rest, `"`)
		}
		t.open = nil
	}
	if library, ok := strings.CutPrefix(body, driverOpening); ok {
		t.open, t.since = t.of("driver", library), at
	} else if library, ok := strings.CutPrefix(body, layerOpening); ok {
		t.open, t.since = t.of("layer", library), at
	}
}

func (t *Times) of(kind, library string) *Opening {
	for _, o := range t.Opened {
		if o.Kind == kind && o.Library == library {
			return o
		}
	}
	o := &Opening{Kind: kind, Library: library}
	t.Opened = append(t.Opened, o)
	return o
}
