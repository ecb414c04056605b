package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/machine"
)

// Root of a user namespace with one user tries no file of users outside of the namespace. Each message names a fix that works there:
// another place, not --as-user, which the namespace makes impossible.
func TestNamespaceOfOneUser(t *testing.T) {
	t.Parallel()
	machine.Need(t, "unshare")
	tool := filepath.Join(readable(t), "vkloader")
	run := func(args ...string) (string, error) {
		cmd := exec.Command("unshare", append([]string{"--user", "--map-root-user", tool}, args...)...)
		cmd.Env, cmd.Dir = []string{"PATH=/usr/bin:/bin", "HOME=/home"}, "/"
		if os.Getuid() == 0 {
			cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: 4242, Gid: 4242}}
		}
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := run("--version"); err != nil {
		t.Skipf("this user makes no user namespaces: %v\n%s", err, out)
	}
	const outside = "run this outside of the user namespace\n"
	for _, c := range []struct {
		line, want string
		fails      bool
	}{
		{"list devices", "not tried as root: a user outside of this user namespace can change /; " + outside, true},
		{"list drivers", "ignored as root: HOME=/home (a user outside of this user namespace can change /). To examine that user's Vulkan, " + outside, false},
		{"list devices --as-user nobody", "--as-user nobody: this process's user namespace does not have that user; run this outside of it\n", true},
	} {
		out, err := run(strings.Fields(c.line)...)
		if (err != nil) != c.fails || !strings.Contains(out, c.want) || strings.Contains(out, "add --as-user") {
			t.Errorf("%s: %v\n%s", c.line, err, out)
		}
	}
}
