package cli

import (
	"slices"
	"testing"

	"vkloader/internal/decide/probe"
)

// Options that depend on another one are rejected without it, on every system: --force needs --undo.
func TestOptionsOfFix(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		options repairing
		good    bool
	}{
		{repairing{}, true}, {repairing{fix: true, yes: true}, true}, {repairing{fix: true, dry: true, step: "x"}, true},
		{repairing{undo: true, force: true}, true}, {repairing{undo: true}, true},
		{repairing{fix: true, force: true}, false}, {repairing{force: true}, false}, {repairing{yes: true}, false},
		{repairing{undo: true, yes: true}, false}, {repairing{undo: true, dry: true}, false}, {repairing{step: "x"}, false},
	} {
		if err := c.options.check(); (err == nil) != c.good {
			t.Errorf("%+v: %v", c.options, err)
		}
	}
}

// A trial of doctor has the examined variables: the tool's, with the changes of --env.
func TestTriesHaveTheVariables(t *testing.T) {
	t.Parallel()
	s := &invocation{environ: []string{"KEPT=1", "CHANGED=1", "GONE=1"}, variables: []string{"CHANGED=2", "GONE", "NEW=1"}}
	about, err := s.subject("", false, 0)
	if err != nil {
		t.Fatal(err)
	}
	got := (&examination{}).tries(probe.Companions{}, about).Environ
	slices.Sort(got)
	if want := []string{"CHANGED=2", "KEPT=1", "NEW=1"}; !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
