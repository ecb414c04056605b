package machine

import (
	"os"
	"path/filepath"
	"testing"
)

// With sudo, the home directory belongs to another user. That user's links are followed in that user's directories, if they
// lead to directories of the same user.
func TestWayInAHome(t *testing.T) {
	t.Parallel()
	asRoot(t)
	const other = somebody + 1
	for name, c := range map[string]struct {
		prepare func(t *testing.T, home string)
		path    string // below the home directory
		fails   bool
	}{
		"to their own": {func(t *testing.T, home string) { link(t, "dots", home+"/.config", somebody) }, ".config", false},
		"twice": {func(t *testing.T, home string) {
			link(t, "dots", home+"/a", somebody)
			link(t, "../a", home+"/dots/b", somebody)
		}, "a/b", false},
		"by an absolute path": {func(t *testing.T, home string) { link(t, home+"/dots", home+"/.config", somebody) }, ".config", false},
		"to root's":           {func(t *testing.T, home string) { link(t, "../etc", home+"/.config", somebody) }, ".config", true},
		"to another user's":   {func(t *testing.T, home string) { link(t, "../other", home+"/.config", somebody) }, ".config", true},
		"to the top":          {func(t *testing.T, home string) { link(t, "/", home+"/.config", somebody) }, ".config", true},
		"on through root's link": {func(t *testing.T, home string) {
			link(t, "rooted", home+"/a", somebody)
			link(t, "../etc", home+"/rooted", 0)
		}, "a", true},
		// The directory's owner may have moved root's link there from another directory of the home.
		"by root's link to root's": {func(t *testing.T, home string) { link(t, "../etc", home+"/.config", 0) }, ".config", true},
		"by root's link to theirs": {func(t *testing.T, home string) { link(t, "dots", home+"/.config", 0) }, ".config", false},
		"to what is not there":     {func(t *testing.T, home string) { link(t, "dots/new", home+"/.config", somebody) }, ".config", true},
		"in a directory for all": {func(t *testing.T, home string) {
			mkdir(t, home+"/tmp", 0o1777, somebody)
			link(t, "../dots", home+"/tmp/a", somebody)
		}, "tmp/a", true},
		"in root's directory": {func(t *testing.T, home string) {
			mkdir(t, home+"/sub", 0o755, 0)
			link(t, "../dots", home+"/sub/a", somebody)
		}, "sub/a", true},
		"of another user": {func(t *testing.T, home string) { link(t, "dots", home+"/a", other) }, "a", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			top := t.TempDir()
			home := top + "/home"
			mkdir(t, home, 0o755, somebody)
			mkdir(t, home+"/dots", 0o755, somebody)
			mkdir(t, top+"/etc", 0o755, 0)
			mkdir(t, top+"/other", 0o755, other)
			c.prepare(t, home)
			d, err := openPlace(filepath.Join(home, c.path), true)
			if (err != nil) != c.fails {
				t.Fatal(err)
			}
			if err == nil {
				d.Close()
			}
			if _, err := os.Lstat(home + "/dots/new"); err == nil {
				t.Error("a directory is made behind a link")
			}
		})
	}
}

// openPlace opens the directory of a file to write.
func openPlace(directory string, make bool) (*os.File, error) {
	place, err := placeHere(directory+"/file", make)
	if err != nil {
		return nil, err
	}
	return place.directory, nil
}
