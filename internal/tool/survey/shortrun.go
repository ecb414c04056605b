package survey

import (
	"context"
	"slices"
	"strings"
	"time"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
)

// ShortRun describes how a short program uses a loader.
type ShortRun struct {
	Library  string               `json:"library"`  // the loader's file
	Chain    []string             `json:"chain"`    // "program", "loader", the layers in the chain, "drivers"
	Times    []PhaseTime          `json:"times"`    // of the phases, in their order
	Messages []loaders.LogMessage `json:"messages"` // warnings and errors of the loader

	Problem string `json:"-"` // one sentence, if a child did not end well
	Died    bool   `json:"-"` // a driver or layer ended the child, or kept it from ending
}

// PhaseTime is the duration of a phase of the child, in microseconds: of the first round, and of a second round in the
// same process.
type PhaseTime struct {
	Phase string  `json:"phase"`              // as "create instance"
	First float64 `json:"first_us"`           // of the first round
	Again float64 `json:"again_us,omitempty"` // of the second round; 0: there was none
}

// LookAtRun runs two children: the first one uses the loader twice, to measure times; the second one records its log.
func LookAtRun(at probe.Companions, environ []string, limit time.Duration) (*ShortRun, error) {
	quiet := machine.WithoutVariable(environ, variables.Debug.Name())
	timed, err := probe.Run(context.Background(), probe.Twice, at, quiet, limit)
	if err != nil {
		return nil, err
	}
	log, err := logOf(at, environ, limit)
	if err != nil {
		return nil, err
	}
	run := &ShortRun{Library: timed.Library,
		Chain: slices.Concat([]string{"program", "loader"}, log.Chain, []string{"drivers"}),
		Times: []PhaseTime{}, Messages: append([]loaders.LogMessage{}, log.Messages...), Problem: timed.Problem,
		Died: timed.Died()}
	for _, p := range timed.Phases {
		i := slices.IndexFunc(run.Times, func(t PhaseTime) bool { return t.Phase == p.Name })
		switch {
		case i < 0:
			run.Times = append(run.Times, PhaseTime{Phase: p.Name, First: p.Micros})
		case p.Round == 2:
			run.Times[i].Again = p.Micros
		}
	}
	return run, nil
}

// logOf returns the loader's log of a short program.
func logOf(at probe.Companions, environ []string, limit time.Duration) (*loaders.Log, error) {
	loud, remove := explain.AudibleSettings(environ)
	defer remove()
	result, err := probe.Run(context.Background(), probe.Short, at,
		machine.WithVariable(loud, variables.Debug.Name(), "all"), limit)
	if err != nil {
		return nil, err
	}
	text := result.Log
	if !strings.Contains(text, loaders.LogMark) {
		text = loaders.OlderLog(text)
	}
	return loaders.ReadLog(text), nil
}
