package bundle

import (
	"os"
	"path/filepath"
	"testing"

	"vkloader/internal/decide/machine"
)

// A file that is no manifest or settings file stays out, also under the name of one. A manifest with broken JSON is packed, because a bug
// report is often about it, but not through a link. Root follows no link of another user.
func TestForeignFilesStayOut(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, text := range map[string]string{"driver.json": `{"ICD":{}}`, "layer.json": `{"layer":{}}`, "settings.json": `{"settings":{}}`,
		"token.json": `{"token":"secret"}`, "key.json": "-----BEGIN", "list.json": `["settings"]`, "null.json": "",
		"broken.json": `{"file_format_version": "1.0.0", "ICD": {"library_path": `, "brokentoken.json": `{"token":"secret", ICD`,
		"other/notes.txt": `{"ICD": my notes`} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, name)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"broken.json", "other/notes.txt", "driver.json"} {
		if err := os.Symlink(name, filepath.Join(root, "to-"+filepath.Base(name)+".json")); err != nil {
			t.Fatal(err)
		}
	}
	source := &machine.Source{}
	for name, packed := range map[string]bool{"driver.json": true, "layer.json": true, "settings.json": true, "token.json": false, "key.json": false,
		"list.json": false, "null.json": false, "broken.json": true, "brokentoken.json": false, "to-broken.json.json": false, "to-notes.txt.json": false,
		"to-driver.json.json": true} {
		if text, err := textOf(source, filepath.Join(root, name)); (err == nil) != packed || packed == (text == "") {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
	if os.Getuid() != 0 {
		return
	}
	theirs := filepath.Join(root, "theirs")
	if err := os.Mkdir(theirs, 0o755); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(theirs, "link.json")
	if err := os.Symlink("../driver.json", link); err != nil {
		t.Fatal(err)
	}
	if _, err := textOf(source, link); err != nil {
		t.Errorf("root's own link: %v", err)
	}
	if err := os.Chown(theirs, 4242, 4242); err != nil {
		t.Fatal(err)
	}
	if text, err := textOf(source, link); err == nil {
		t.Errorf("packed through another user's link: %q", text)
	}
}
