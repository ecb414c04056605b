package spawn

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/internal/core/variables"
)

// look prints the parts of this process that a child has: secrets in variables, descriptors and the working directory, and the
// terminal.
const look = `for f in /proc/self/fd/*; do echo "fd ${f##*/} $(readlink $f)"; done
env; echo "dir $(pwd -P)"; (: < /dev/tty) 2>/dev/null && echo tty; :`

// hold leaves a file open across programs, as a careless parent does, and returns its path.
func hold(t *testing.T) string {
	t.Helper()
	f, err := os.Create(t.TempDir() + "/held")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	if _, err := unix.FcntlInt(f.Fd(), unix.F_SETFD, 0); err != nil {
		t.Fatal(err)
	}
	return f.Name()
}

// Every kind except the program that a person starts gets nothing that its caller did not make for it. The test is not
// parallel, because all starts of the process share the judge.
func TestChildrenGetTheLeast(t *testing.T) {
	before := Trusted
	defer func() { Trusted = before }()
	Trusted = func(*Child) error { return nil }
	held := hold(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	environ := []string{"PATH=/usr/bin:/bin", "VK_LOADER_DEBUG=all", "ACME_MODE=1", "TOKEN=secret"}
	for _, c := range []struct {
		name   string
		kind   Kind
		token  bool // the variable crosses
		leaves bool // descriptor and directory cross
	}{{"trial", Trial, false, false}, {"helper", Helper, true, false},
		{"chosen", Chosen, true, true}} {
		child := New(context.Background(), c.kind, "/bin/sh", "-c", look)
		child.Env, child.Names = environ, LayerNames("VK_LAYER_ACME_counter")
		text, err := child.Output()
		got := string(text)
		if err != nil {
			t.Fatal(c.name, err)
		}
		for what, crosses := range map[string]bool{"TOKEN=secret\n": c.token, "VK_LOADER_DEBUG=all\n": true,
			"ACME_MODE=1\n": true, held: c.leaves, "dir " + here + "\n": c.leaves} {
			if strings.Contains(got, what) != crosses {
				t.Errorf("%s: %q crosses: %v, want %v\n%s", c.name, what, !crosses, crosses, got)
			}
		}
		if strings.Contains(got, "\ntty\n") && c.kind != Chosen {
			t.Errorf("%s: the child has the terminal", c.name)
		}
	}
}

// A variable with a relative path keeps the working directory, where a program that starts here would find the file.
func TestRelativePathsKeepTheDirectory(t *testing.T) {
	t.Parallel()
	for value, kept := range map[string]bool{"VK_DRIVER_FILES=a.json": true, "VK_DRIVER_FILES=/a.json": false,
		"VK_DRIVER_FILES=/a.json:b/c.json": true,
		"LD_LIBRARY_PATH=/a:lib":           true, "LD_LIBRARY_PATH=/a:": true, "LD_LIBRARY_PATH=": false,
		"LD_LIBRARY_PATH=/a:$ORIGIN/b": false, "LD_PRELOAD=libx.so": false,
		"LD_PRELOAD=./libx.so": true, "MESA_LOG_FILE=x/log": true, "TOKEN=./x": false} {
		child := New(context.Background(), Trial, "/bin/true")
		child.Env = []string{value}
		if got := child.needsDirectory(); got != kept {
			t.Errorf("%s: %v, want %v", value, got, kept)
		}
	}
}

// A trial has every variable that the loader reads, and every one that names code: otherwise its result is not that of
// a program.
func TestTrialsReadWhatProgramsRead(t *testing.T) {
	t.Parallel()
	variables.Each(func(v variables.ID) {
		if !Crosses(v.Name()) {
			t.Errorf("%s does not cross", v.Name())
		}
	})
	for _, v := range PathVariables {
		if !Crosses(v.Name) {
			t.Errorf("%s does not cross", v.Name)
		}
	}
	for _, name := range []string{"AWS_SECRET_ACCESS_KEY", "SSH_AUTH_SOCK", "DBUS_SESSION_BUS_ADDRESS",
		"SUDO_USER", "BASH_ENV", "VKX"} {
		if Crosses(name) {
			t.Errorf("%s crosses", name)
		}
	}
	got := strings.Join(LayerNames("VK_LAYER_ACME_frame_counter", "COUNT", ""), " ")
	if got != "ACME_* FRAME_COUNTER_* COUNT COUNT_*" {
		t.Error(got)
	}
}

// newTerminal returns the two ends of a new terminal.
func newTerminal() (ours, theirs *os.File, err error) {
	ours, err = os.OpenFile("/dev/ptmx", os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		return nil, nil, err
	}
	slave, err := openSlave(int(ours.Fd()))
	if err != nil {
		return nil, nil, err
	}
	return ours, os.NewFile(uintptr(slave), "terminal"), nil
}

// becomer is the variable with which TestBecomesUser starts this test's program as the process that becomes a user.
const becomer = "SPAWN_TEST_BECOMES"

// A child of another user has nothing of this process, which that user's other processes cannot inspect.
func TestBecomesUser(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root becomes other users")
	}
	if os.Getenv(becomer) != "" {
		child := New(context.Background(), Tool, "/bin/sh", "-c", look+"; cat; id -u")
		child.Env, child.Stdin, child.Stdout, child.Stderr = os.Environ(), os.Stdin, os.Stdout, os.Stderr
		child.User = &User{UID: 4242, GID: 4242}
		for _, fd := range []string{"0", "1", "2"} {
			file, err := os.Readlink("/proc/self/fd/" + fd)
			if err != nil {
				t.Fatal(err)
			}
			os.Stdout.WriteString("own " + file + "\n")
		}
		unstarted := New(context.Background(), Tool, "/bin/true")
		unstarted.User = child.User
		unstarted.restrict()
		if err := unstarted.become(); err != nil { // the kernel may do the same at the start
			t.Fatal(err)
		}
		dumpable, err := unix.PrctlRetInt(unix.PR_GET_DUMPABLE, 0, 0, 0, 0)
		if dumpable != 0 || err != nil {
			t.Errorf("dumpable: %d %v", dumpable, err)
		}
		if err := child.Run(); err != nil {
			t.Fatal(err)
		}
		return
	}
	held := hold(t)
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, onTerminal := range []bool{false, true} {
		parent := New(context.Background(), Chosen, self, "-test.run=^TestBecomesUser$")
		parent.Env = append(os.Environ(), becomer+"=1", "TOKEN=secret", "VK_LOADER_DEBUG=all")
		input, err := os.CreateTemp(t.TempDir(), "input")
		if err != nil {
			t.Fatal(err)
		}
		defer input.Close()
		if _, err = input.WriteString("answer\n"); err == nil {
			_, err = input.Seek(0, 0)
		}
		if err != nil {
			t.Fatal(err)
		}
		parent.Stdin = input
		var out output
		parent.Stdout, parent.Stderr = &out, &out
		read := make(chan struct{})
		var theirs *os.File
		if onTerminal {
			var ours *os.File
			if ours, theirs, err = newTerminal(); errors.Is(err, fs.ErrNotExist) {
				t.Skip(err) // a machine without terminals
			} else if err != nil {
				t.Fatal(err)
			}
			defer ours.Close()
			parent.Stdout, parent.Stderr = theirs, theirs
			go func() {
				_, _ = io.Copy(&out, ours) // until the other end is closed
				close(read)
			}()
		}
		before := Trusted
		Trusted = func(*Child) error { return nil }
		err = parent.Run()
		Trusted = before
		if onTerminal {
			theirs.Close()
			<-read
		}
		got := strings.ReplaceAll(string(out.text), "\r", "")
		if err != nil {
			t.Fatalf("%v\n%s", err, got)
		}
		for line := range strings.Lines(got) {
			if file, is := strings.CutPrefix(line, "own "); is &&
				strings.Count(got, " "+file) != strings.Count(got, "own "+file) {
				t.Errorf("terminal %v: the child has the file %s\n%s", onTerminal, file, got)
			}
		}
		for what, crosses := range map[string]bool{"TOKEN=secret": false, becomer: false, "VK_LOADER_DEBUG=all": true,
			held: false, "dir /": true,
			"answer": true, "\n4242": true} {
			if strings.Contains(got, what) != crosses {
				t.Errorf("terminal %v: %q crosses: %v, want %v\n%s", onTerminal, what, !crosses, crosses, got)
			}
		}
		if onTerminal && !strings.Contains(got, "/dev/pts/") {
			t.Errorf("the child has no terminal of its own:\n%s", got)
		}
	}
}
