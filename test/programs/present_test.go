package programs

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The frame's own program presents on each kind of window, under validation, and nothing is said that is not said under
// Debian's loader.
func TestPresent(t *testing.T) {
	t.Parallel()
	program := filepath.Join(built(t), "test", "present")
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("not built: %v; run make first", err)
	}
	stage := newStage(t).onLavapipe().withX().withWeston()
	for _, kind := range []string{"xlib", "xcb", "wayland"} {
		t.Run(kind, func(t *testing.T) {
			mine := stage.run(ours(t), program, kind, "60", "--validate")
			theirs := stage.run(debians(t), program, kind, "60", "--validate")
			mine.wantExit(t, 0)
			theirs.wantExit(t, 0)
			known := said(theirs)
			for _, line := range said(mine) {
				if strings.HasPrefix(line, "message:") && !slices.Contains(known, line) {
					t.Errorf("only on this loader: %s", line)
				}
			}
		})
	}
}
