package fix

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/edit"
)

// home returns a machine with files of a user below /home/u.
func home(t *testing.T, files map[string]string, environ ...string) *machine.Machine {
	t.Helper()
	m := &machine.Machine{Root: t.TempDir(), Environ: append([]string{"HOME=/home/u"}, environ...)}
	for name, content := range files {
		path := filepath.Join(m.Root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o640); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

const (
	own   = "/home/u/.config/environment.d/a.conf"
	fresh = "/home/u/.config/environment.d/" + ownFile
)

// A variable is changed only where it is set. Files of other owners, and variables set at an unknown place, stay unchanged.
func TestEdits(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		files   map[string]string
		environ []string
		change  explain.Change
		want    []edit.Edit
	}{
		"a value":           {map[string]string{own: "B=1\nA=2\nA=3\nC=4"}, []string{"A=3"}, explain.SetVariable("A", "~x~"), []edit.Edit{{Path: own, Text: "B=1\nA=~x~\nA=~x~\nC=4"}}},
		"none":              {map[string]string{own: "\n\nA=2\n"}, []string{"A=2"}, explain.UnsetVariable("A"), []edit.Edit{{Path: own, Text: "\n\n"}}},
		"another name":      {map[string]string{own: "A=2\n"}, []string{"A=2"}, explain.SetVariable("AB", "2").With(explain.UnsetVariable("A")), []edit.Edit{{Path: fresh, Text: "AB=2\n"}, {Path: own}}},
		"set nowhere yet":   {map[string]string{fresh: "B=1"}, nil, explain.SetVariable("A", "x"), []edit.Edit{{Path: fresh, Text: "B=1\nA=x\n"}}},
		"set nowhere":       {nil, []string{"A=1"}, explain.UnsetVariable("A"), nil},
		"set elsewhere too": {map[string]string{own: "A=1\n", "/etc/environment": "A=1\n"}, []string{"A=1"}, explain.UnsetVariable("A"), nil},
		"a shell's file":    {map[string]string{"/home/u/.bashrc": "export A=1\n"}, []string{"A=1"}, explain.UnsetVariable("A"), nil},
		"expanded":          {nil, nil, explain.SetVariable("A", "$HOME"), nil},
		"a file":            {map[string]string{"/home/u/x.json": "{}"}, nil, explain.RemoveFile("/home/u/x.json"), []edit.Edit{{Path: "/home/u/x.json", Remove: true}}},
		"a file of all":     {map[string]string{"/etc/x.json": "{}"}, nil, explain.RemoveFile("/etc/x.json"), nil},
		"no file":           {nil, nil, explain.RemoveFile("/home/u/gone.json"), nil},
	} {
		m := home(t, c.files, c.environ...)
		got := Edits(m, c.change)
		if len(got) != len(c.want) {
			t.Errorf("%s: %+v, want %+v", name, got, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%s: %+v, want %+v", name, got[i], c.want[i])
			}
		}
	}
	if got := Edits(&machine.Machine{Root: t.TempDir()}, explain.SetVariable("A", "1")); got != nil {
		t.Errorf("without a home directory: %+v", got)
	}
}

// Undo reverts two runs at once, with the original permissions, and removes a new file.
func TestUndoTwice(t *testing.T) {
	t.Parallel()
	m := home(t, map[string]string{own: "A=1\n"})
	for _, text := range []string{"A=2\n", "A=3\n"} {
		if err := Do(m, []edit.Edit{{Path: own, Text: text}, {Path: fresh, Text: text}}); err != nil {
			t.Fatal(err)
		}
	}
	edits, err := Undone(m)
	if want := []edit.Edit{{Path: own, Text: "A=1\n"}, {Path: fresh, Remove: true}}; err != nil || !slices.Equal(edits, want) {
		t.Errorf("%+v, %v, want %+v", edits, err, want)
	}
	files, err := Undo(m, nil, false)
	if err != nil || len(files) != 2 {
		t.Fatal(files, err)
	}
	if edits, err := Undone(m); err != nil || len(edits) != 0 {
		t.Errorf("after undo: %+v, %v", edits, err)
	}
	text, err := os.ReadFile(filepath.Join(m.Root, own))
	info, err2 := os.Stat(filepath.Join(m.Root, own))
	if err != nil || err2 != nil || string(text) != "A=1\n" || info.Mode() != 0o640 {
		t.Error(string(text), info, err, err2)
	}
	if m.Exists(fresh) || m.Exists(UndoFile(m)) {
		t.Error("a file is left that was not there")
	}
}

// An undo file of another user, whose home directory root's tool was given, restores no file outside of that directory, and
// sets no setuid or setgid bit.
func TestUndoFileOfOthers(t *testing.T) {
	t.Parallel()
	const file = "/home/u/.bashrc"
	text := func(path string, mode fs.FileMode) string {
		data, err := json.Marshal(undo{Schema: undoSchema, Files: []changed{{edit.State{Path: path, There: true, Text: []byte("theirs"), Mode: mode}, stateOf(&edit.State{There: true, Text: []byte("now")})}}})
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	place := UndoFile(&machine.Machine{Environ: []string{"HOME=/home/u"}})
	m := home(t, map[string]string{file: "now", place: text(file, 0o755|fs.ModeSetuid|fs.ModeSetgid)})
	if _, err := Undo(m, nil, false); err != nil {
		t.Fatal(err)
	}
	if info, err := m.Stat(file); err != nil || info.Mode() != 0o755 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for _, outside := range []string{"/etc/passwd", "/home/u/../../etc/passwd", "/home/under"} {
		m := home(t, map[string]string{"/etc/passwd": "now", "/home/under": "now", place: text(outside, 0o644)})
		if given, err := Undo(m, nil, true); err == nil {
			t.Errorf("%s: %v", outside, given)
		}
	}
}

// A change is made to exactly the name that was shown: it is not offered for a link, and a link that takes the name's place later is
// itself removed or refused, so that the file to which it leads stays.
func TestChangesFollowNoLink(t *testing.T) {
	t.Parallel()
	const name, target = "/home/u/.config/environment.d/50-a.conf", "/home/u/key"
	for kind, to := range map[string]string{"file": target, "relative": "../../key", "directory": "/home/u/.config", "nothing": "/home/u/gone"} {
		m := home(t, map[string]string{target: "A=1\n", "/home/u/.config/environment.d/x": ""}, "A=1")
		link := filepath.Join(m.Root, name)
		relink := func() {
			if err := errors.Join(os.RemoveAll(link), os.Symlink(to, link)); err != nil {
				t.Fatal(err)
			}
		}
		relink()
		for _, change := range []explain.Change{explain.RemoveFile(name), explain.UnsetVariable("A"), explain.SetVariable("A", "2")} {
			if edits := Edits(m, change); len(edits) > 0 {
				t.Errorf("%s: %+v has the edits %+v", kind, change, edits)
			}
		}
		for _, e := range []edit.Edit{{Path: name, Remove: true}, {Path: name, Text: "A=2\n"}} {
			if err := Do(m, []edit.Edit{e}); err == nil || !strings.Contains(err.Error(), name+" is a link") {
				t.Errorf("%s: %+v: %v", kind, e, err)
			}
			if now, err := os.Readlink(link); err != nil || now != to {
				t.Errorf("%s: the link is %q, %v", kind, now, err)
			}
		}
		for _, removes := range []bool{true, false} {
			if err := os.RemoveAll(link); err != nil {
				t.Fatal(err)
			}
			place, err := m.PlaceOf(name, false)
			if err != nil {
				t.Fatal(err)
			}
			relink() // after the place was examined
			if removes {
				err = place.Remove()
			} else {
				err = place.Replace([]byte("A=3\n"), 0o644)
			}
			place.Close()
			if _, gone := os.Lstat(link); removes && (err != nil || gone == nil) || !removes && (gone != nil || !errors.Is(err, machine.ErrLink)) {
				t.Errorf("%s, removes %v: %v, %v", kind, removes, err, gone)
			}
		}
		if text, err := os.ReadFile(filepath.Join(m.Root, target)); err != nil || string(text) != "A=1\n" {
			t.Errorf("%s: the link's target is %q, %v", kind, text, err)
		}
		if _, err := os.Lstat(filepath.Join(m.Root, "home/u/gone")); err == nil {
			t.Errorf("%s: a file was made behind the link", kind)
		}
	}
}
