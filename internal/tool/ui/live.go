package ui

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"time"
)

// lookEvery is how often running programs are looked at while somebody reads.
const lookEvery = 2 * time.Second

// live tells readers what has changed. Nobody looks while there is no reader.
type live struct {
	look func(ctx context.Context) (html string, err error)

	lock    sync.Mutex
	readers map[chan string]bool
	last    string
	stop    context.CancelFunc
}

// join adds a reader, who gets what there is now and then every change. The function that comes back ends it.
func (l *live) join() (<-chan string, func()) {
	l.lock.Lock()
	defer l.lock.Unlock()
	c := make(chan string, 1)
	if l.readers == nil {
		l.readers = map[chan string]bool{}
	}
	l.readers[c] = true
	if len(l.readers) == 1 {
		ctx, stop := context.WithCancel(context.Background())
		l.stop, l.last = stop, ""
		go l.run(ctx)
	} else {
		c <- l.last
	}
	return c, func() {
		l.lock.Lock()
		defer l.lock.Unlock()
		if delete(l.readers, c); len(l.readers) == 0 {
			l.stop()
		}
	}
}

// run looks again and again, until the last reader has gone.
func (l *live) run(ctx context.Context) {
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	for {
		now, err := l.look(ctx)
		if err == nil {
			l.tell(ctx, now)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// tell gives a change to every reader; who has not read the one before gets this one instead.
func (l *live) tell(ctx context.Context, now string) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if ctx.Err() != nil || now == l.last {
		return
	}
	l.last = now
	for c := range l.readers {
		select {
		case <-c:
		default:
		}
		c <- now
	}
}

// serveLive sends an event with HTML for each change.
func (s *Server) serveLive(w http.ResponseWriter, r *http.Request) {
	flusher, ok := w.(http.Flusher)
	if !ok {
		http.Error(w, "no events here", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream")
	w.WriteHeader(http.StatusOK)
	flusher.Flush()
	changes, leave := s.live.join()
	defer leave()
	for {
		select {
		case <-r.Context().Done():
			return
		case text := <-changes:
			fmt.Fprintf(w, "data: %s\n\n", strings.ReplaceAll(strings.TrimSuffix(text, "\n"), "\n", "\ndata: "))
			flusher.Flush()
		}
	}
}

// running is the list of running programs as HTML.
func (s *Server) running(ctx context.Context) (string, error) {
	q := &Request{Context: ctx, Tool: s.tool, ReadOnly: s.options.ReadOnly, System: s.options.System}
	found, err := runningOf(q)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	err = render(&text, "programs", "running", found)
	return text.String(), err
}
