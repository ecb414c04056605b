package cli

import "testing"

// Options that go with another one are refused without it, on every system: --force is for --undo alone.
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
