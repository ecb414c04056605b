package ui

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/settings"
)

// childless is a tool whose child processes fail.
type childless struct{ Tool }

func (childless) Child(context.Context, []byte, []string, io.Writer, io.Writer) error {
	return errors.New("no child")
}

// The page reports a fix as not done if the child process for it fails.
func TestFailedChild(t *testing.T) {
	t.Parallel()
	r := &Request{Context: t.Context(), Tool: childless{}}
	p := &prepared{Request: r, Plan: &Plan{Title: "a step", Args: []string{"doctor", "--fix"}, Child: true}}
	if err := (&Server{}).apply(r, p, &machine.Machine{}); err == nil || !strings.Contains(err.Error(), "no child") {
		t.Errorf("%v", err)
	}
}

// unchanged is a tool of this machine.
type unchanged struct{ Tool }

func (unchanged) Machine() machine.Machine { return machine.Machine{} }

// atHome is a tool of a user with a home directory.
type atHome struct {
	Tool
	home string
}

func (a atHome) Machine() machine.Machine {
	return machine.Machine{Environ: []string{"HOME=" + a.home}}
}

// Root's page changes files of the system only, besides the tool's record for "Undo" in root's home directory.
func TestRootsPage(t *testing.T) {
	tool := atHome{home: t.TempDir()}
	m := tool.Machine()
	for file, want := range map[string]bool{fix.UndoFile(&m): true, filepath.Join(tool.home, "other"): false} {
		changes["of root"] = func(*Request) (*Plan, error) { return &Plan{Files: []edit.Edit{{Path: file}}}, nil }
		_, _, err := (&Server{}).prepare(&Request{Context: t.Context(), Tool: tool, System: true}, "of root")
		if delete(changes, "of root"); (err == nil) != want {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// The page shows no plan for a file that is a link, so it makes no change of it.
func TestPlanOfALink(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink("file", link); err != nil {
		t.Fatal(err)
	}
	changes["of a test"] = func(*Request) (*Plan, error) { return &Plan{Files: []edit.Edit{{Path: link}}}, nil }
	_, _, err := (&Server{}).prepare(&Request{Context: t.Context(), Tool: unchanged{}}, "of a test")
	if delete(changes, "of a test"); !errors.Is(err, machine.ErrLink) {
		t.Error(err)
	}
}

// Names of layers and keys come from manifests. One that looks like an option is none in the command line of the change.
func TestNamesAreNoOptions(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]string{"VK_LAYER_a": "settings layer VK_LAYER_a key=1", "--system": "settings layer -- --system key=1"} {
		c := &settings.LayerChange{Layer: name, Edits: []settings.LayerEdit{{Key: "key", Value: "1"}}}
		if got := strings.Join(lineOf(c), " "); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
