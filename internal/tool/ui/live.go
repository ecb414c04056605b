package ui

import (
	"context"
	"encoding/json"
	"net/http"
	"strconv"
	"sync"
	"time"

	"vkloader/internal/decide/process"
)

// lookEvery is the interval between two checks of the running programs.
const lookEvery = 2 * time.Second

// live sends changes of the running programs to readers. It stops without a reader.
type live struct {
	look func(ctx context.Context) (html string, err error)

	lock    sync.Mutex
	readers map[chan string]bool
	last    string
	stop    context.CancelFunc
}

// join adds a reader. It returns a channel with the present state and then every change, and the function that removes the
// reader.
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
	} else if l.last != "" { // the first check is done
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

// run checks repeatedly until the last reader is gone.
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

// tell sends a change to every reader. It replaces an earlier change that the reader has not received.
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

// serveLive sends a line with HTML for each change of the running programs.
func (s *Server) serveLive(w http.ResponseWriter, r *http.Request) {
	changes, leave := s.live.join()
	defer leave()
	follow(w, r, changes)
}

// follow sends a line with HTML for each text, until the reader is gone or the channel is closed.
func follow(w http.ResponseWriter, r *http.Request, texts <-chan string) {
	w.Header().Set("Content-Type", lines)
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	_ = control.Flush()
	for {
		select {
		case <-r.Context().Done():
			return
		case text, more := <-texts:
			if !more {
				return
			}
			_ = json.NewEncoder(w).Encode(map[string]string{"html": text})
			_ = control.Flush()
		}
	}
}

// serveEnd sends one line when a process has ended.
func (s *Server) serveEnd(w http.ResponseWriter, r *http.Request) {
	pid, err := strconv.Atoi(r.PathValue("pid"))
	if err != nil || pid <= 0 {
		http.Error(w, "this is not a process ID", http.StatusBadRequest)
		return
	}
	ended := make(chan string, 1)
	go func() {
		defer close(ended)
		tick := time.NewTicker(endEvery)
		defer tick.Stop()
		for process.Here.Exists(pid) {
			select {
			case <-r.Context().Done():
				return
			case <-tick.C:
			}
		}
		if text, err := render("program", "ended", pid); err == nil {
			ended <- text
		}
	}()
	follow(w, r, ended)
}

// endEvery is the interval between two checks of a process.
const endEvery = 500 * time.Millisecond

// running returns the list of running programs as HTML.
func (s *Server) running(ctx context.Context) (string, error) {
	q := &Request{Context: ctx, Tool: s.tool, ReadOnly: s.options.ReadOnly, System: s.options.System}
	found, err := runningOf(q)
	if err != nil {
		return "", err
	}
	return render("programs", "running", found)
}
