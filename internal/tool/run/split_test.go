package run

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/internal/decide/loaders"
)

// The split does not depend on the pieces in which the text arrives.
func TestSplitInAnyPieces(t *testing.T) {
	t.Parallel()
	const text = "start\n[Vulkan Loader] INFO:           one\npartial [[Vulkan Loader] LAYER:          two\n" +
		" goes on\n[Vulkan\n[Vulkan Loader] three\n[Vulk"
	wantLines := []string{"[Vulkan Loader] INFO:           one", "[Vulkan Loader] LAYER:          two", "[Vulkan Loader] three"}
	const wantRest = "start\npartial [ goes on\n[Vulkan\n[Vulk"
	for size := 1; size <= len(text); size++ {
		var rest bytes.Buffer
		var lines []string
		s := &Splitter{Rest: &rest, Line: func(l string, _ time.Time) { lines = append(lines, l) }}
		for piece := range slices.Chunk([]byte(text), size) {
			if n, err := s.Write(piece); n != len(piece) || err != nil {
				t.Fatal(n, err)
			}
		}
		if strings.HasSuffix(rest.String(), "[Vulk") {
			t.Errorf("pieces of %d: the end may begin a mark, and is not held back", size)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(lines, wantLines) || rest.String() != wantRest {
			t.Errorf("pieces of %d: lines %q, rest %q", size, lines, rest.String())
		}
	}
}

// Text that cannot begin a mark is passed on at once, so that a prompt is visible. Close passes an unfinished line on.
func TestSplitPassesOnAtOnce(t *testing.T) {
	t.Parallel()
	var rest bytes.Buffer
	var lines []string
	s := &Splitter{Rest: &rest, Line: func(l string, _ time.Time) { lines = append(lines, l) }}
	for _, step := range []struct{ in, rest string }{
		{"name? ", "name? "}, {"[y/n] ", "name? [y/n] "}, {"[", "name? [y/n] "},
	} {
		if _, err := s.Write([]byte(step.in)); err != nil || rest.String() != step.rest {
			t.Errorf("after %q: %q, %v", step.in, rest.String(), err)
		}
	}
	if _, err := s.Write([]byte("=> ")); err != nil || rest.String() != "name? [y/n] [=> " {
		t.Errorf("no mark: %q, %v", rest.String(), err)
	}
	if _, err := s.Write([]byte(loaders.LogMark + strings.Repeat("x", 10))); err != nil || len(lines) != 0 {
		t.Errorf("lines %q, %v", lines, err)
	}
	if err := s.Close(); err != nil || !slices.Equal(lines, []string{loaders.LogMark + "xxxxxxxxxx"}) || rest.String() != "name? [y/n] [=> " {
		t.Errorf("closed: %q, %q, %v", lines, rest.String(), err)
	}
}
