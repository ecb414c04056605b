package commands

import (
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// The output of a program's remaining child processes goes to the log that the tool created, even if another file has its name by then:
// the process that reads their output has the log's descriptor, and opens no link.
func TestRunLogIsHeld(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	in := func(name string) string { return filepath.Join(d, name) }
	err := errors.Join(os.WriteFile(in("precious"), []byte("as it was\n"), 0o600), os.WriteFile(in("log"), []byte("of an earlier run\n"), 0o644),
		syscall.Mkfifo(in("go"), 0o600))
	if err != nil {
		t.Fatal(err)
	}
	reading, writing, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer reading.Close()
	cmd := exec.Command(filepath.Join(built, "vkloader"), "run", "--log", in("log"), "--", "sh", "-c",
		`echo '[Vulkan Loader] early' >&2; (read line <"$0"; echo '[Vulkan Loader] late' >&2) >/dev/null & exit 0`, in("go"))
	cmd.Stderr = writing
	err = cmd.Run()
	writing.Close()
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(os.Rename(in("log"), in("moved")), os.Symlink("precious", in("log"))); err != nil {
		t.Fatal(err)
	}
	goOn, err := os.OpenFile(in("go"), os.O_WRONLY, 0) // opens when the remaining child has opened it
	if err == nil {
		_, err = goOn.WriteString("go\n")
		err = errors.Join(err, goOn.Close())
	}
	if err != nil {
		t.Fatal(err)
	}
	if text, err := io.ReadAll(reading); err != nil || strings.Contains(string(text), "Vulkan Loader") { // until no process reads for the log any more
		t.Errorf("%q, %v", text, err)
	}
	for name, want := range map[string]string{"precious": "as it was\n", "moved": "[Vulkan Loader] early\n[Vulkan Loader] late\n"} {
		if text, err := os.ReadFile(in(name)); err != nil || string(text) != want {
			t.Errorf("%s: %q, %v", name, text, err)
		}
	}
}
