package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/process"
)

// stream begins an answer of lines with JSON, and returns the function that sends one.
func stream(w http.ResponseWriter) (send func(line map[string]string)) {
	w.Header().Set("Content-Type", "application/x-ndjson")
	w.WriteHeader(http.StatusOK)
	control := http.NewResponseController(w)
	_ = control.Flush()
	return func(line map[string]string) {
		_ = json.NewEncoder(w).Encode(line)
		_ = control.Flush()
	}
}

// serveLive sends a line with HTML for each change of the running programs.
func (s *Server) serveLive(w http.ResponseWriter, r *http.Request) {
	q := s.request(r)
	var searched struct{ Places []explain.Searched }
	err := q.Tool.Run(q, "list", "paths", "--json").Decode(&searched)
	paths, _ := filepath.Glob("/dev/nvidia*")
	paths = append(paths, "/dev/dri", "/dev/dxg")
	for _, place := range searched.Places {
		paths = append(paths, place.Path)
	}
	watch, unwatched := process.NewWatch(r.Context(), paths)
	if err != nil || unwatched != nil {
		http.Error(w, fmt.Sprint("running programs cannot be watched: ", err, unwatched),
			http.StatusInternalServerError)
		return
	}
	defer watch.Close()
	send := stream(w)
	follow(r.Context(), programState, watch.Wait, func() {
		found, err := runningOf(q)
		if err != nil {
			return
		}
		if html, err := render("running", found); err == nil {
			send(map[string]string{"html": html})
		}
	})
}

// programState returns the programs with a loader, and a text that differs if they or their mapped files differ. It
// opens no file that a program opens for Vulkan.
func programState() (found []*process.Process, state string) {
	found, _, _ = process.Here.List()
	var text strings.Builder
	for _, p := range found {
		fmt.Fprintln(&text, p.PID, p.Started, p.Mapped)
	}
	return found, text.String()
}

// After an event, a program may need some time to open its drivers and layers: there are some checks before the rest.
const (
	laterChecks = 3
	checkEvery  = time.Second
)

// follow calls changed now, and after each change of a state. It rests until wait reports an event.
func follow(ctx context.Context, state func() ([]*process.Process, string),
	wait func([]*process.Process, time.Duration) bool, changed func()) {
	for last, begun, checks := "", false, 0; ctx.Err() == nil; begun = true {
		programs, now := state()
		if now != last || !begun {
			last = now
			changed()
		}
		limit := checkEvery
		if checks++; checks > laterChecks {
			limit = -1
		}
		if wait(programs, limit) {
			checks = 0
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
	watch, err := process.NewWatch(r.Context(), nil)
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	defer watch.Close()
	send := stream(w)
	for process.Here.Exists(pid) && r.Context().Err() == nil {
		watch.Wait([]*process.Process{{PID: pid}}, -1)
	}
	if text, err := render("ended", pid); err == nil && r.Context().Err() == nil {
		send(map[string]string{"html": text})
	}
}
