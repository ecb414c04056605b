package trust

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/internal/decide/spawn"
)

const someone = 4242

// own makes an empty directory that only root can change, without a sticky directory on its path.
func own(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can make files of other users")
	}
	directory, err := os.MkdirTemp("/run", "vkloader-trust-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(directory) })
	if err := os.Chmod(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	return directory
}

// Path finds each way in which another user can change a file or exchange it, and names the user.
func TestPath(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		lay  func(t *testing.T, d string) // changes d/a/b/file
		at   string                       // the path to check; "": a/b/file
		who  string                       // the user in the error; "": no other user can change the file
		file string                       // the file in the error, below d or absolute
	}{
		{name: "root's", lay: func(*testing.T, string) {}},
		{name: "file of another user", lay: func(t *testing.T, d string) { chown(t, d+"/a/b/file", someone) }, who: "user 4242", file: "a/b/file"},
		{name: "directory of another user", lay: func(t *testing.T, d string) { chown(t, d+"/a", someone) }, who: "user 4242", file: "a"},
		{name: "file writable by everybody", lay: func(t *testing.T, d string) { chmod(t, d+"/a/b/file", 0o646) }, who: "everybody", file: "a/b/file"},
		{name: "directory writable by everybody", lay: func(t *testing.T, d string) { chmod(t, d+"/a", 0o757) }, who: "everybody", file: "a"},
		{name: "file in a sticky directory", lay: func(t *testing.T, d string) { chmod(t, d+"/a/b", 0o777|os.ModeSticky) }, who: "everybody", file: "a/b"},
		{name: "link in a sticky directory", lay: func(t *testing.T, d string) {
			chmod(t, d+"/a", 0o777|os.ModeSticky)
			symlink(t, "b", d+"/a/link")
		}, at: "a/link/file", who: "everybody", file: "a"},
		{name: "sticky directory itself", lay: func(t *testing.T, d string) { chmod(t, d+"/a", 0o777|os.ModeSticky) }, at: "a", who: "everybody", file: "a"},
		{name: "sticky directory after ..", lay: func(t *testing.T, d string) { chmod(t, d+"/a", 0o777|os.ModeSticky) }, at: "a/b/..", who: "everybody", file: "a"},
		{name: "sticky directory for a group", lay: func(t *testing.T, d string) { chmod(t, d+"/a/b", 0o775|os.ModeSticky) }, who: "a member of group root", file: "a/b"},
		{name: "sticky directory of another user", lay: func(t *testing.T, d string) {
			chmod(t, d+"/a", 0o777|os.ModeSticky)
			chown(t, d+"/a", someone)
		}, who: "user 4242", file: "a"},
		{name: "another user's directory in a sticky one", lay: func(t *testing.T, d string) {
			chmod(t, d+"/a", 0o777|os.ModeSticky)
			chown(t, d+"/a/b", someone)
		}, who: "user 4242", file: "a/b"},
		{name: "root's directory in a sticky one", lay: func(t *testing.T, d string) { chmod(t, d+"/a", 0o777|os.ModeSticky) }},
		{name: "file writable by a group", lay: func(t *testing.T, d string) { chmod(t, d+"/a/b/file", 0o664) }, who: "a member of group root", file: "a/b/file"},
		{name: "directory writable by a group", lay: func(t *testing.T, d string) { chmod(t, d+"/a", 0o775) }, who: "a member of group root", file: "a"},
		{name: "access control list", lay: func(t *testing.T, d string) { acl(t, d+"/a/b/file", someone) }, who: "a member of group", file: "a/b/file"},
		{name: "access control list of a directory", lay: func(t *testing.T, d string) { acl(t, d+"/a/b", someone) }, who: "a member of group", file: "a/b"},
		{name: "link of root's", lay: func(t *testing.T, d string) { symlink(t, "a/b/file", d+"/link") }, at: "link"},
		{name: "link to another user's file", lay: func(t *testing.T, d string) {
			symlink(t, "a/b/file", d+"/link")
			chown(t, d+"/a/b/file", someone)
		}, at: "link", who: "user 4242", file: "a/b/file"},
		{name: "link in another user's directory", lay: func(t *testing.T, d string) {
			mkdir(t, d+"/home")
			symlink(t, "../a/b/file", d+"/home/link")
			chown(t, d+"/home", someone)
		}, at: "home/link", who: "user 4242", file: "home"},
		{name: "link of another user's", lay: func(t *testing.T, d string) {
			symlink(t, "a/b/file", d+"/link")
			if err := os.Lchown(d+"/link", someone, 0); err != nil {
				t.Fatal(err)
			}
		}, at: "link", who: "user 4242", file: "link"},
		{name: "absolute link through another user's directory", lay: func(t *testing.T, d string) {
			mkdir(t, d+"/home")
			chown(t, d+"/home", someone)
			symlink(t, "../a/b/file", d+"/home/inner")
			symlink(t, d+"/home/inner", d+"/link")
		}, at: "link", who: "user 4242", file: "home"},
		{name: "way through another user's directory", lay: func(t *testing.T, d string) {
			mkdir(t, d+"/home")
			chown(t, d+"/home", someone)
		}, at: "home/../a/b/file", who: "user 4242", file: "home"},
		{name: "nothing yet", lay: func(*testing.T, string) {}, at: "a/c/file"},
		{name: "nothing yet, in another user's directory", lay: func(t *testing.T, d string) { chown(t, d+"/a", someone) }, at: "a/c/file", who: "user 4242", file: "a"},
		{name: "nothing yet, in a directory for everybody", lay: func(t *testing.T, d string) { chmod(t, d+"/a", 0o777|os.ModeSticky) }, at: "a/c", who: "everybody", file: "a"},
		{name: "user that the namespace does not have", lay: func(t *testing.T, d string) { chown(t, d+"/a/b/file", overflow) }, who: "user 65534", file: "a/b/file"},
		{name: "link of the kernel's", lay: func(*testing.T, string) {}, at: fmt.Sprintf("/proc/%d/root/usr", os.Getpid()), who: "the process behind it",
			file: fmt.Sprintf("/proc/%d/root", os.Getpid())},
		{name: "descriptor", lay: func(*testing.T, string) {}, at: "/proc/self/fd/0", who: "the process behind it", file: fmt.Sprintf("/proc/%d/fd/0", os.Getpid())},
		{name: "the system's", lay: func(*testing.T, string) {}, at: "/usr/bin/env"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			d := own(t)
			mkdir(t, d+"/a/b")
			if err := os.WriteFile(d+"/a/b/file", nil, 0o644); err != nil {
				t.Fatal(err)
			}
			c.lay(t, d)
			at := c.at
			if at == "" {
				at = "a/b/file"
			}
			below := func(name string) string {
				if filepath.IsAbs(name) {
					return name
				}
				return d + "/" + name
			}
			err := Path(below(at))
			var e *Error
			switch {
			case c.who == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.who != "" && !errors.As(err, &e):
				t.Errorf("got %v, want %s", err, c.who)
			case c.who != "" && (!strings.HasPrefix(e.Who, c.who) || e.File != below(c.file)):
				t.Errorf("%s can change %s, want %s and %s", e.Who, e.File, c.who, below(c.file))
			}
			if !filepath.IsAbs(at) { // the same path below a root
				if got := In(d, "/"+at); strings.Contains(c.name, "absolute") {
					if got != nil { // the link leads to a path outside of this root
						t.Errorf("below a root: %v", got)
					}
				} else if (got == nil) != (err == nil) {
					t.Errorf("below a root: %v", got)
				}
			}
		})
	}
}

// Refusal names the user, the file and a way to continue.
func TestRefusal(t *testing.T) {
	t.Parallel()
	err := fmt.Errorf("more: %w", &Error{File: "/home/a/x.so", Who: "alice", User: "alice"})
	if got, want := Refusal("tried", err), "not tried as root: alice can change /home/a/x.so; run this as that user, or add --as-user alice"; got != want {
		t.Errorf("%q", got)
	}
	if got := Refused("run", err); got.Error() != Refusal("run", err) || !errors.Is(got, err) {
		t.Errorf("%v", got)
	}
	if got := Refusal("tried", os.ErrNotExist); got != "" {
		t.Errorf("%q", got)
	}
}

func chown(t *testing.T, name string, uid int) {
	t.Helper()
	if err := os.Chown(name, uid, 0); err != nil {
		t.Fatal(err)
	}
}

func chmod(t *testing.T, name string, mode os.FileMode) {
	t.Helper()
	if err := os.Chmod(name, mode); err != nil {
		t.Fatal(err)
	}
}

func mkdir(t *testing.T, name string) {
	t.Helper()
	if err := os.MkdirAll(name, 0o755); err != nil {
		t.Fatal(err)
	}
}

func symlink(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Fatal(err)
	}
}

// acl gives a user the right to write, as setfacl(1) does.
func acl(t *testing.T, name string, uid uint32) {
	t.Helper()
	entry := func(tag, perm uint16, id uint32) []byte {
		return []byte{byte(tag), byte(tag >> 8), byte(perm), byte(perm >> 8), byte(id), byte(id >> 8), byte(id >> 16), byte(id >> 24)}
	}
	none := ^uint32(0)
	list := []byte{2, 0, 0, 0}
	for _, e := range [][]byte{entry(1, 6, none), entry(2, 6, uid), entry(4, 4, none), entry(0x10, 6, none), entry(0x20, 4, none)} {
		list = append(list, e...)
	}
	if err := unix.Setxattr(name, "system.posix_acl_access", list, 0); err != nil {
		t.Skipf("%s: no access control lists here: %v", name, err)
	}
}

// Homes removes another user's homes, and another user's elements of lists. Root's own homes remain.
func TestHomes(t *testing.T) {
	t.Parallel()
	d := own(t)
	mkdir(t, d+"/root")
	mkdir(t, d+"/alice/share")
	chown(t, d+"/alice", someone)
	kept, ignored := Homes([]string{"HOME=" + d + "/alice", "XDG_DATA_HOME=" + d + "/alice/share", "XDG_CONFIG_HOME=" + d + "/root",
		"XDG_DATA_DIRS=" + d + "/alice/share:/usr/share", "XDG_CONFIG_DIRS=" + d + "/alice", "PATH=" + d + "/alice"})
	if got, want := strings.Join(kept, " "), "XDG_CONFIG_HOME="+d+"/root XDG_DATA_DIRS=/usr/share PATH="+d+"/alice"; got != want {
		t.Errorf("kept %s, want %s", got, want)
	}
	var names []string
	for _, i := range ignored {
		names = append(names, i.Variable)
	}
	if got := strings.Join(names, " "); got != "HOME XDG_DATA_HOME XDG_DATA_DIRS XDG_CONFIG_DIRS" {
		t.Errorf("ignored %s", got)
	}
	if got := Warning(ignored); !strings.Contains(got, "HOME="+d+"/alice (user 4242 can change "+d+"/alice)") || !strings.HasSuffix(got, "add --as-user 4242") {
		t.Errorf("%q", got)
	}
	if Warning(nil) != "" {
		t.Error("a warning of nothing")
	}
}

// The message about a directory that a privileged process may not examine names its variable and the fix.
func TestUnreadableDirectory(t *testing.T) {
	t.Parallel()
	if variable := os.Getenv("VKLOADER_TEST_LIMITED"); variable != "" { // in the child
		fmt.Println(check(spawn.Helper, "/bin/true", "", []string{variable}))
		return
	}
	d := own(t)
	mkdir(t, d+"/closed/libraries")
	chmod(t, d+"/closed", 0o700)
	for _, c := range []struct{ variable, value, path string }{
		{"LD_LIBRARY_PATH", "/usr/lib:" + d + "/closed/libraries", d + "/closed/libraries"},
		{"LD_PRELOAD", d + "/closed/libraries/x.so", d + "/closed/libraries/x.so"},
		{"LD_AUDIT", d + "/closed/libraries/x.so", d + "/closed/libraries/x.so"},
		{"GCONV_PATH", d + "/closed/libraries", d + "/closed/libraries"},
	} {
		cmd := exec.Command("/proc/self/exe", "-test.run=^TestUnreadableDirectory$")
		cmd.Dir, cmd.Env = "/", []string{"VKLOADER_TEST_LIMITED=" + c.variable + "=" + c.value}
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: someone, Gid: someone}, AmbientCaps: []uintptr{unix.CAP_NET_RAW}}
		out, err := cmd.CombinedOutput()
		said := string(out)
		if err != nil || !strings.HasPrefix(said, c.variable+": ") || !strings.Contains(said, c.path) ||
			!strings.Contains(said, "remove it from "+c.variable) {
			t.Errorf("%s=%s: %v, %s", c.variable, c.value, err, said)
		}
	}
}

// Each listed variable with another user's file is refused.
func TestVariables(t *testing.T) {
	t.Parallel()
	d := own(t)
	mkdir(t, d+"/theirs")
	chown(t, d+"/theirs", someone)
	for _, name := range []string{"LD_LIBRARY_PATH", "LD_PRELOAD", "LD_AUDIT", "GCONV_PATH", "LOCPATH", "OPENSSL_CONF", "OPENSSL_MODULES", "GIO_EXTRA_MODULES",
		"XLOCALEDIR", "VK_LAYER_SETTINGS_PATH", "DRIRC_CONFIGDIR", "LD_DEBUG_OUTPUT", "LD_PROFILE_OUTPUT", "MALLOC_TRACE", "MESA_LOG_FILE", "MESA_SHADER_CACHE_DIR", "MESA_GLSL_CACHE_DIR",
		"__GL_SHADER_DISK_CACHE_PATH", "GALLIUM_LOG_FILE"} {
		var e *Error
		if err := check(spawn.Helper, "/bin/true", "", []string{name + "=" + d + "/theirs/x"}); !errors.As(err, &e) || e.File != d+"/theirs" {
			t.Errorf("%s: %v", name, err)
		}
		if err := check(spawn.Helper, "/bin/true", "", []string{name + "=" + d + "/x"}); err != nil {
			t.Errorf("%s for a file of root's: %v", name, err)
		}
	}
}

// Each file that runs for a script is checked: other scripts, and the program that env finds.
func TestScripts(t *testing.T) {
	t.Parallel()
	d := own(t)
	write := func(name, text string) {
		if err := os.WriteFile(d+"/"+name, []byte(text), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	write("theirs", "#!/bin/sh\n")
	chown(t, d+"/theirs", someone)
	for name, line := range map[string]string{"script": d + "/theirs", "env": "/usr/bin/env " + d + "/theirs", "split": "/usr/bin/env -S A=B " + d + "/theirs x",
		"joined": "/usr/bin/env -S" + d + "/theirs", "options": "/usr/bin/env -S -i -u X " + d + "/theirs", "path": "/usr/bin/env theirs",
		"nested": d + "/script"} {
		write(name, "#!"+line+"\n")
	}
	for _, name := range []string{"script", "env", "split", "joined", "options", "path", "nested"} {
		var e *Error
		if err := check(spawn.Chosen, d+"/"+name, "", []string{"PATH=/usr/bin:" + d}); !errors.As(err, &e) || e.File != d+"/theirs" {
			t.Errorf("%s: %v", name, err)
		}
	}
	write("own", "#!/usr/bin/env -S sh -e\n")
	if err := check(spawn.Chosen, d+"/own", "", []string{"PATH=/usr/bin"}); err != nil {
		t.Error(err)
	}
}
