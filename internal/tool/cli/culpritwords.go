package cli

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/run"
	"vkloader/internal/tool/term"
)

// lastLine passes data on and keeps its end, with the last line that is not empty: of a layer, a driver or the program.
type lastLine struct {
	to  io.Writer
	mu  sync.Mutex
	end []byte
}

// maxEnd is the length of the kept end, and maxLastLine that of a line.
const (
	maxEnd      = 1 << 14
	maxLastLine = 1 << 10
)

func (l *lastLine) Write(p []byte) (int, error) {
	l.mu.Lock()
	l.end = append(l.end, p...)
	l.end = l.end[max(0, len(l.end)-maxEnd):]
	l.mu.Unlock()
	return l.to.Write(p)
}

func (l *lastLine) text() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	line := bytes.TrimSpace(l.end)
	line = bytes.TrimSpace(line[bytes.LastIndexByte(line, '\n')+1:])
	return string(line[:min(len(line), maxLastLine)])
}

// silence is the delay of the message about a run that lasts.
const silence = 5 * time.Second

// sayWait names the ways to end a run that has no time limit, once it lasts. The caller calls stop at the run's end.
func (h *hunt) sayWait() (stop func()) {
	if h.saidWait || h.limits.Hangs > 0 || h.limits.Enough > 0 {
		return func() {}
	}
	done := make(chan struct{})
	timer := time.AfterFunc(silence, func() {
		defer close(done)
		h.saidWait = true
		fmt.Fprintf(h.talk, "vkloader: run %d still runs: waiting for the program to end. If it hangs, press %s; --hangs-after TIME does that after a time\n",
			h.runs, hangKey)
	})
	return func() {
		if !timer.Stop() {
			<-done
		}
	}
}

// requester returns the variable with which the user asks for a layer; "": none does.
func (h *hunt) requester(layer string) string {
	answer := h.scene.Answer
	for _, a := range answer.Active {
		if answer.Layers[a.Layer].Name != layer {
			continue
		}
		switch a.EnabledBy {
		case plan.ByVariable:
			return variables.InstanceLayers.Name()
		case plan.ByEnable:
			return variables.LayersEnable.Name()
		}
	}
	return ""
}

// updates returns the advice for culprits that the user asks for: the fix is their update; "": there is none.
func (h *hunt) updates(culprits []run.Suspect) string {
	var texts []string
	for _, c := range culprits {
		if by := h.requester(c.Name); c.Kind == run.Layer && by != "" {
			texts = append(texts, fmt.Sprintf("Update %s (%s), which %s asks for", c.Name, term.Or(c.Library, c.Manifest), by))
		}
	}
	return strings.Join(texts, "; ")
}

// noteExits notes that runs without a crash ended with an exit code: then the program may not work there, either.
func (h *hunt) noteExits(found *run.CulpritSearch) {
	if found.First.Good {
		return
	}
	at := slices.IndexFunc(found.Runs, func(r run.Run) bool { return r.Good && strings.HasPrefix(r.What, exitWords) && r.What != exitWords+"0" })
	if at >= 0 {
		h.note("without %s the program did not crash, but %s: it may not work. To count that as a failure: --fails-with exit",
			term.Or(strings.Join(found.Runs[at].Without, ", "), "a change"), found.Runs[at].What)
	}
}

// exitWords begin the description of a run that ended by itself.
const exitWords = "ended with exit code "
