package ui

import (
	"context"
	"errors"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
)

// childless is a tool whose child processes fail.
type childless struct{ Tool }

func (childless) Child(context.Context, []byte) ([]byte, error) {
	return nil, errors.New("no child")
}

// The page reports a fix as not done if the child process for it fails.
func TestFailedChild(t *testing.T) {
	t.Parallel()
	r := &Request{Context: t.Context(), Tool: childless{}}
	p := &prepared{Request: r, Plan: &Plan{Title: "a step", Args: []string{"doctor", "--fix"}}}
	if err := (&Server{}).apply(r, p, &machine.Machine{}); err == nil || !strings.Contains(err.Error(), "no child") {
		t.Errorf("%v", err)
	}
}
