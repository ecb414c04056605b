package settings

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
)

func contentOf(t *testing.T, text string) map[string]any {
	t.Helper()
	c, err := (&File{Ours: true, Content: `{"settings_array":` + text + `}`}).Decode()
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

// Settings with --until-changed exclude a layer or driver, keep all other settings, and end with a change of the library.
func TestUntilChanged(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	m := &machine.Machine{Root: root}
	write := func(name, text string) {
		t.Helper()
		file := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("l/bad.so", "old")
	write("l/other.so", "old")
	write("m/bad.json", `{"file_format_version":"1.0.0","layer":{"name":"bad","type":"GLOBAL","library_path":"/l/bad.so",`+
		`"api_version":"1.3.0","implementation_version":"1","description":"d","disable_environment":{"BAD":"1"}}}`)
	const others = `{"control":"unordered_layer_location"}`
	bad, other := stampFile(m, "/l/bad.so"), stampFile(m, "/l/other.so")
	text := func(s stamp, before string) string {
		s.Control = before
		data, err := json.Marshal(s)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	off := func(before string) string {
		return `{"control":"off","name":"bad","path":"/m/bad.json","treat_as_implicit_manifest":true,"` + UntilChangedMember +
			`":` + text(bad, before) + `}`
	}
	x := `{"control":"on","name":"x","path":"/x"}`
	for _, c := range []struct {
		before string
		during func() string
	}{
		{`[]`, func() string { return `[{"layers":[` + off("") + `,` + others + `]}]` }},
		{`[{"stderr_log":["warn"]}]`, func() string { return `[{"layers":[` + off("") + `,` + others + `],"stderr_log":["warn"]}]` }},
		// An enabled layer is enabled again afterwards, in its place.
		{`[{"layers":[` + x + `,{"control":"on","name":"bad","path":"/m/bad.json"}]}]`,
			func() string { return `[{"layers":[` + x + `,` + off("on") + `]}]` }},
	} {
		content := contentOf(t, c.before)
		for range 2 { // the second time changes nothing
			e := entry{"name": "bad", "control": "off", "path": "/m/bad.json", "treat_as_implicit_manifest": true, UntilChangedMember: bad}
			excludeLayers(For(content, nil, true), []entry{e})
			content = contentOf(t, arrayOf(t, content))
		}
		during := contentOf(t, c.during())
		if got := arrayOf(t, content); got != arrayOf(t, during) {
			t.Errorf("%s became\n%s, want\n%s", c.before, got, arrayOf(t, during))
		}
		if ended := endChanged(m, content); len(ended) > 0 {
			t.Errorf("ended too early: %v", ended)
		}
		write("l/bad.so", "longer")
		ended := endChanged(m, content)
		if len(ended) != 1 || ended[0].Name != "bad" || ended[0].Change != "/l/bad.so has changed" {
			t.Errorf("ended: %v", ended)
		}
		want := strings.Replace(c.before, `"path":"/m/bad.json"}`, `"path":"/m/bad.json","treat_as_implicit_manifest":true}`, 1)
		if got := arrayOf(t, content); got != want {
			t.Errorf("afterwards\n%s, want\n%s", got, want)
		}
		write("l/bad.so", "old")
		bad = stampFile(m, "/l/bad.so")
	}

	if addCopy(contentOf(t, `[]`), []string{"/game"})["app_keys"] == nil {
		t.Error("no object for the program")
	}
	content := contentOf(t, `[{"stderr_log":["warn"]}]`)
	game := addCopy(content, []string{"/game"})
	if err := excludeDrivers(game, []string{"/d/a.json", "/d/b.json"}, []stamp{bad}); err != nil {
		t.Fatal(err)
	}
	content = contentOf(t, arrayOf(t, content))
	game = For(content, []string{"/game"}, false)
	if err := excludeDrivers(game, []string{"/d/a.json", "/d/bad.json"}, []stamp{other}); err != nil { // a second driver, b.json
		t.Fatal(err)
	}
	want := arrayOf(t, contentOf(t, `[{"additional_drivers":[{"path":"/d/a.json"}],"additional_drivers_use_exclusively":true,`+
		`"app_keys":["/game"],"stderr_log":["warn"],"`+UntilChangedMember+`":[`+text(bad, "")+`,`+text(other, "")+`]},{"stderr_log":["warn"]}]`))
	if got := arrayOf(t, contentOf(t, arrayOf(t, content))); got != want {
		t.Errorf("got\n%s, want\n%s", got, want)
	}
	if excludeDrivers(game, []string{"/d/b.json"}, nil) == nil {
		t.Error("no driver is left")
	}
	if files := excludedFiles(contentOf(t, arrayOf(t, content)), "/game"); strings.Join(files[""], " ") != "/l/bad.so /l/other.so" {
		t.Errorf("files: %v", files)
	}
	if err := os.Remove(filepath.Join(root, "l/bad.so")); err != nil {
		t.Fatal(err)
	}
	content = contentOf(t, arrayOf(t, content))
	ended := endChanged(m, content)
	if len(ended) != 1 || ended[0].Change != "/l/bad.so is gone" || arrayOf(t, content) != `[{"stderr_log":["warn"]}]` {
		t.Errorf("ended %v; afterwards %s", ended, arrayOf(t, content))
	}
	if excludeDrivers(map[string]any{"additional_drivers": []any{}}, []string{"/d/b.json"}, nil) == nil {
		t.Error("settings that choose drivers are replaced")
	}
}
