package settings

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/workers"
)

// settle creates a machine below a temporary directory. It returns the place of a settings file on the machine and its real
// path.
func settle(t *testing.T) (m *machine.Machine, place, where string) {
	t.Helper()
	m = &machine.Machine{Root: t.TempDir()}
	place = "/home/u/vk_loader_settings.json"
	where = filepath.Join(m.Root, place)
	if err := os.MkdirAll(filepath.Dir(where), 0o755); err != nil {
		t.Fatal(err)
	}
	return m, place, where
}

func write(t *testing.T, path, text string, mode os.FileMode) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		t.Fatal(err)
	}
}

// Write keeps permissions and foreign members of the tool's file, and leaves no temporary file.
func TestWrite(t *testing.T) {
	t.Parallel()
	m, place, where := settle(t)
	write(t, where, `{"settings_array":[{"of":"another","n":12345678901234567890}],"vkloader":{"written_by":"vkloader settings"},"more":1}`, 0o600)
	f, err := Read(m, place)
	if err != nil || !f.Ours {
		t.Fatalf("%+v, %v", f, err)
	}
	content, err := f.Decode()
	if err != nil {
		t.Fatal(err)
	}
	For(content, []string{"/a<b>"}, true)["stderr_log"] = []any{"all"}
	if err := (&FileSet{Machine: *m}).Write(place, content, time.Time{}, false); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(where); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("permissions: %v, %v", info, err)
	}
	text, err := os.ReadFile(where)
	for _, want := range []string{"12345678901234567890", `"more": 1`, `"/a<b>"`, `"written_by": "vkloader settings"`} {
		if !strings.Contains(string(text), want) {
			t.Errorf("no %s in\n%s%v", want, text, err)
		}
	}
	if entries, err := os.ReadDir(filepath.Dir(where)); err != nil || len(entries) != 1 {
		t.Errorf("%v, %v", entries, err)
	}
}

// Write and Remove change no link, neither in the file's place nor in that of the file that is set aside.
func TestLinksAreNotChanged(t *testing.T) {
	t.Parallel()
	directory := t.TempDir()
	target, link := filepath.Join(directory, "real/s.json"), filepath.Join(directory, "s.json")
	write(t, target, "old", 0o644)
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for _, place := range []string{link, filepath.Join(directory, "t.json")} {
		if place != link {
			write(t, place, "another's", 0o644)
			if err := os.Rename(link, SetAside(place)); err != nil {
				t.Fatal(err)
			}
		}
		if err := (&FileSet{}).Write(place, map[string]any{}, time.Time{}, true); !errors.Is(err, machine.ErrLink) {
			t.Errorf("%s: %v", place, err)
		}
		if _, err := (&FileSet{}).Remove(place); !errors.Is(err, machine.ErrLink) {
			t.Errorf("%s: %v", place, err)
		}
	}
	if text, err := os.ReadFile(target); err != nil || string(text) != "old" {
		t.Errorf("%s, %v", text, err)
	}
	if to, err := os.Readlink(SetAside(filepath.Join(directory, "t.json"))); err != nil || to != target {
		t.Errorf("%s, %v", to, err)
	}
}

// A failed write keeps the old file and leaves no partial file.
func TestFailedWrite(t *testing.T) {
	t.Parallel()
	m, place, where := settle(t)
	write(t, where, "old", 0o644)
	if err := (&FileSet{Machine: *m}).Write(place, map[string]any{"bad": make(chan int)}, time.Time{}, true); err == nil {
		t.Error("what is no JSON was written")
	}
	// A non-empty directory at the file's place makes the last step fail.
	blocked := filepath.Join(m.Root, "blocked/vk_loader_settings.json")
	write(t, filepath.Join(blocked, "x"), "", 0o644)
	if err := (&FileSet{Machine: *m}).Write("/blocked/vk_loader_settings.json", map[string]any{}, time.Time{}, false); err == nil {
		t.Error("a directory was replaced")
	}
	if text, err := os.ReadFile(where); string(text) != "old" {
		t.Errorf("%s, %v", text, err)
	}
	for _, directory := range []string{filepath.Dir(where), filepath.Dir(blocked)} {
		if entries, err := os.ReadDir(directory); err != nil || len(entries) != 1 {
			t.Errorf("%s: %v, %v", directory, entries, err)
		}
	}
}

// Concurrent changes all reach the file, and readers never see a partial file.
func TestManyAtOnce(t *testing.T) {
	t.Parallel()
	m, place, where := settle(t)
	const writers = 20
	var wait workers.Group
	for i := range writers {
		wait.Go(func() {
			unlock, err := (&FileSet{Machine: *m}).Lock(place)
			if err != nil {
				t.Error(err)
				return
			}
			defer unlock()
			f, err := Read(m, place)
			if err != nil && !os.IsNotExist(err) {
				t.Error(err)
			}
			content, err := f.Decode()
			if err != nil {
				t.Error(err)
				return
			}
			For(content, []string{fmt.Sprint("/", i)}, true)
			if err := (&FileSet{Machine: *m}).Write(place, content, time.Time{}, false); err != nil {
				t.Error(err)
			}
		})
		wait.Go(func() {
			if text, err := os.ReadFile(where); err == nil && !json.Valid(text) {
				t.Errorf("half a file: %s", text)
			}
		})
	}
	wait.Wait()
	f, err := Read(m, place)
	if err != nil {
		t.Fatal(err)
	}
	content, err := f.Decode()
	if err != nil || len(content["settings_array"].([]any)) != writers {
		t.Errorf("%s, %v", f.Content, err)
	}
}

// Only the tool's files expire. Objects are found by exactly their programs.
func TestOwnersAndPrograms(t *testing.T) {
	t.Parallel()
	m, place, where := settle(t)
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for text, want := range map[string][2]bool{
		`{"vkloader":{"written_by":"vkloader settings","expires":"2026-01-01T00:00:00Z"}}`:      {true, true},
		`{"vkloader":{"written_by":"vkloader settings","expires":"2026-01-01T00:00:01Z"}}`:      {true, false},
		`{"vkloader":{"written_by":"vkloader settings","expires":"2026-01-01T01:00:00+02:00"}}`: {true, true},
		`{"vkloader":{"written_by":"vkloader settings","expires":"yesterday"}}`:                 {true, false},
		`{"vkloader":{"written_by":"other","expires":"2025-01-01T00:00:00Z"}}`:                  {false, false},
		`{"vkloader":{"expires":"2025-01-01T00:00:00Z"}}`:                                       {false, false},
		`not JSON`: {false, false},
	} {
		write(t, where, text, 0o644)
		f, err := Read(m, place)
		if err != nil || f.Ours != want[0] || f.Expired(now) != want[1] {
			t.Errorf("%s: %+v, %v", text, f, err)
		}
	}
	content, _ := (*File)(nil).Decode()
	For(content, nil, true)["all"] = true
	For(content, []string{"/a", "/b"}, true)["two"] = true
	if For(content, []string{"/a"}, false) != nil || For(content, nil, false)["all"] != true ||
		For(content, []string{"/a", "/b"}, true)["two"] != true {
		t.Errorf("%v", content)
	}
	if Drop(content, []string{"/a"}) || !Drop(content, nil) || len(content["settings_array"].([]any)) != 1 {
		t.Errorf("%v", content)
	}
}

// Length rejects impossible durations.
func TestLength(t *testing.T) {
	for text, want := range map[string]time.Duration{"never": 0, "90m": 90 * time.Minute, "7d": 7 * 24 * time.Hour, "36500d": 36500 * 24 * time.Hour,
		"36501d": -1, "400000d": -1, "876001h": -1, "-1h": -1, "0d": -1, "d": -1, "1w": -1, "": -1} {
		if got, err := Length(text); got != max(want, 0) || (err != nil) != (want < 0) {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}
