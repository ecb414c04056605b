package cli

import (
	"slices"
	"testing"

	"vkloader/internal/decide/probe"
)

// A trial of doctor has the examined variables: the tool's, with the changes of --env.
func TestTriesHaveTheVariables(t *testing.T) {
	t.Parallel()
	s := &invocation{environ: []string{"KEPT=1", "CHANGED=1", "GONE=1"}, Env: []string{"CHANGED=2", "GONE", "NEW=1"}}
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
