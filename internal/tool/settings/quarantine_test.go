package settings

import (
	"encoding/json"
	"testing"
	"time"

	"vkloader/internal/decide/machine"
)

func contentOf(t *testing.T, text string) map[string]any {
	t.Helper()
	c, err := (&File{Ours: true, Content: text}).Decode()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func arrayOf(t *testing.T, c map[string]any) string {
	t.Helper()
	data, err := json.Marshal(c["settings_array"])
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// A quarantine excludes the layer from its programs, keeps the rest of their settings, and is undone completely.
func TestPutAndTake(t *testing.T) {
	t.Parallel()
	const unordered = `{"control":"unordered_layer_location"}`
	const bad = `{"control":"off","name":"bad","path":"/m/bad.json","treat_as_implicit_manifest":true}`
	for _, c := range []struct{ program, before, during string }{
		{"/game", `[]`, `[{"app_keys":["/game"],"layers":[` + bad + `,` + unordered + `]}]`},
		{"", `[]`, `[{"layers":[` + bad + `,` + unordered + `]}]`},
		// A program's new object contains the settings for all programs.
		{"/game", `[{"stderr_log":["warn"]}]`, `[{"app_keys":["/game"],"layers":[` + bad + `,` + unordered + `],"stderr_log":["warn"]},{"stderr_log":["warn"]}]`},
		// The other programs of an object keep it.
		{"/game", `[{"app_keys":["/a","/game"],"stderr_log":["warn"]}]`,
			`[{"app_keys":["/game"],"layers":[` + bad + `,` + unordered + `],"stderr_log":["warn"]},{"app_keys":["/a","/game"],"stderr_log":["warn"]}]`},
		// An enabled layer is enabled again afterwards, in its place.
		{"/game", `[{"app_keys":["/game"],"layers":[{"control":"on","name":"x","path":"/x"},{"control":"on","name":"bad","path":"/m/bad.json"}]}]`,
			`[{"app_keys":["/game"],"layers":[{"control":"on","name":"x","path":"/x"},{"control":"off","name":"bad","path":"/m/bad.json"}]}]`},
		// A quarantine for all programs includes programs with their own settings.
		{"", `[{"app_keys":["/a"],"stderr_log":["warn"]}]`,
			`[{"app_keys":["/a"],"layers":[` + bad + `,` + unordered + `],"stderr_log":["warn"]},{"layers":[` + bad + `,` + unordered + `]}]`},
	} {
		e := &Quarantine{Kind: "layer", Name: "bad", Manifest: "/m/bad.json", Implicit: true, Program: c.program}
		settings := contentOf(t, `{"settings_array":`+c.before+`}`)
		if err := e.put(settings, nil); err != nil {
			t.Fatal(err)
		}
		if got := arrayOf(t, settings); got != c.during || !e.inForce(settings) {
			t.Errorf("for %q, %s became\n%s, want\n%s", c.program, c.before, got, c.during)
		}
		// The state is read from JSON again.
		data, _ := json.Marshal(e)
		later := &Quarantine{}
		if err := json.Unmarshal(data, later); err != nil {
			t.Fatal(err)
		}
		settings = contentOf(t, `{"settings_array":`+arrayOf(t, settings)+`}`)
		want := c.before
		if c.program == "/game" && c.before == `[{"app_keys":["/a","/game"],"stderr_log":["warn"]}]` {
			// The program's own object repeats the shared settings and stays.
			want = `[{"app_keys":["/game"],"stderr_log":["warn"]},{"app_keys":["/a","/game"],"stderr_log":["warn"]}]`
		}
		if later.take(settings); arrayOf(t, settings) != want || later.inForce(settings) {
			t.Errorf("for %q, %s is afterwards\n%s", c.program, c.before, arrayOf(t, settings))
		}
	}
}

// A driver is excluded by naming the others. Settings that already select drivers stay unchanged.
func TestPutDriver(t *testing.T) {
	t.Parallel()
	e := &Quarantine{Kind: "driver", Name: "old.json", Manifest: "/d/old.json", Program: "/game"}
	settings := contentOf(t, `{"settings_array":[]}`)
	if err := e.put(settings, []string{"/d/a.json", "/d/b.json"}); err != nil {
		t.Fatal(err)
	}
	want := `[{"additional_drivers":[{"path":"/d/b.json"},{"path":"/d/a.json"}],"additional_drivers_use_exclusively":true,"app_keys":["/game"]}]`
	if got := arrayOf(t, settings); got != want || !e.inForce(contentOf(t, `{"settings_array":`+got+`}`)) {
		t.Errorf("got %s", got)
	}
	if err := e.put(settings, nil); err == nil {
		t.Error("settings that choose drivers are written over")
	}
	if e.take(settings); arrayOf(t, settings) != "[]" {
		t.Errorf("afterwards %s", arrayOf(t, settings))
	}
}

// A quarantine ends when it expires, and when its file is gone.
func TestOver(t *testing.T) {
	t.Parallel()
	m, now := &machine.Machine{}, time.Now()
	own := "quarantine_test.go"
	e := Quarantine{File: own, Identity: identityOf(m, own), Until: now.Add(time.Hour)}
	if why := e.Over(m, now); why != "" {
		t.Errorf("too early: %s", why)
	}
	if why := e.Over(m, now.Add(2*time.Hour)); why != "its time has expired" {
		t.Errorf("too late: %q", why)
	}
	e.File = "gone.so"
	if why := e.Over(m, now); why != "gone.so is gone" {
		t.Errorf("without its file: %q", why)
	}
}
