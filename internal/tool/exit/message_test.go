package exit

import (
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"testing"
)

// A message names the file and the reason, and never the system's function.
func TestMessage(t *testing.T) {
	const file = `C:\gone.json`
	failed := func(err error) error { return &fs.PathError{Op: "GetFileAttributesEx", Path: file, Err: err} }
	for _, c := range []struct {
		err  error
		want string
	}{
		{nil, ""},
		{With(Problems), ""},
		{errors.New("no such option"), "no such option"},
		{Unable("--driver: %w", failed(fs.ErrNotExist)), `--driver: C:\gone.json does not exist`},
		{Unable("--log: %w (%s)", failed(fs.ErrPermission), "closed"), `--log: C:\gone.json: permission denied (closed)`},
		{failed(fs.ErrExist), `C:\gone.json exists already`},
		{failed(errors.New("is a directory")), `C:\gone.json: is a directory`},
		{fmt.Errorf("run: %w", &exec.Error{Name: "/etc", Err: errors.New("is a directory")}), "run: /etc: is a directory"},
	} {
		if got := Message(c.err); got != c.want {
			t.Errorf("%v: %q, want %q", c.err, got, c.want)
		}
	}
}
