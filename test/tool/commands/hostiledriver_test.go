package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"

	"vkloader/discover"
)

// hostile is a driver that writes what its process has from the one that started it.
const hostile = `#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
extern char **environ;
__attribute__((constructor)) static void look(void)
{
    char name[64], target[4096];
    FILE *f = fopen(OUT, "w");
    for (int fd = 0; f && fd < 1024; fd++) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
        long n = readlink(name, target, sizeof target - 1);
        if (n > 0) fprintf(f, "fd %d %.*s\n", fd, (int)n, target);
    }
    for (char **e = environ; f && *e; e++) fprintf(f, "variable %s\n", *e);
    if (f && getcwd(target, sizeof target)) fprintf(f, "directory %s\n", target);
    int tty = open("/dev/tty", O_RDWR);
    if (f && tty >= 0) fprintf(f, "terminal\n");
    if (tty >= 0) close(tty);
    if (f) fclose(f);
}
`

// A driver that a trial loads has nothing of the process that tries it: neither root's process for another user, nor a
// user's own, nor that of a program with package discover.
func TestHostileDriver(t *testing.T) {
	t.Parallel()
	for _, as := range []string{"tool", "another user", "discover"} {
		t.Run(as, func(t *testing.T) {
			t.Parallel()
			if as == "another user" {
				asRoot(t)
			}
			open, private := t.TempDir(), t.TempDir()
			if err := os.Chmod(private, 0o700); err != nil {
				t.Fatal(err)
			}
			secret, err := os.Create(filepath.Join(private, "held"))
			if err != nil {
				t.Fatal(err)
			}
			defer secret.Close()
			library, manifest := filepath.Join(open, "hostile.so"), filepath.Join(open, "hostile.json")
			seen := filepath.Join(open, "seen")
			cc := exec.Command("cc", "-x", "c", "-shared", "-fPIC", `-DOUT="`+seen+`"`, "-o", library, "-")
			cc.Stdin = strings.NewReader(hostile)
			if out, err := cc.CombinedOutput(); err != nil {
				t.Fatalf("%v %s", err, out)
			}
			text := `{"file_format_version":"1.0.0","ICD":{"library_path":"./hostile.so","api_version":"1.3.0"}}`
			if err := os.WriteFile(manifest, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
			environ := []string{"PATH=/usr/bin:/bin", "VK_DRIVER_FILES=" + manifest, "TOKEN=secret"}
			if as == "discover" {
				if _, err := unix.FcntlInt(secret.Fd(), unix.F_SETFD, 0); err != nil {
					t.Fatal(err)
				}
				_, err := discover.Probe(t.Context(), discover.ProbeOptions{Env: environ,
					Library: filepath.Join(built, "libvulkan.so.1"), Child: filepath.Join(built, "libexec/vkloader/probe")})
				if err != nil {
					t.Fatal(err)
				}
			} else {
				tool, args := filepath.Join(built, "vkloader"), []string{"list", "devices", "--details"}
				if as == "another user" {
					giveAway(t, open, library, manifest)
					for at := open; at != "/" && at != os.TempDir(); at = filepath.Dir(at) {
						if err := os.Chmod(at, 0o755); err != nil {
							t.Fatal(err)
						}
					}
					tool, args = filepath.Join(readable(t), "vkloader"), append(args, "--as-user", another)
				}
				master, slave := terminal(t)
				cmd := exec.Command(tool, args...)
				cmd.Env, cmd.Dir, cmd.ExtraFiles = environ, private, []*os.File{secret}
				cmd.Stdin, cmd.Stdout, cmd.Stderr = slave, slave, slave
				cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
				go func() {
					buffer := make([]byte, 1<<12)
					for {
						if _, err := master.Read(buffer); err != nil {
							return
						}
					}
				}()
				_ = cmd.Run() // the driver is none
			}
			report, err := os.ReadFile(seen)
			if err != nil {
				t.Fatal("the driver was not loaded:", err)
			}
			got := string(report)
			for _, not := range []string{"TOKEN", private, "/dev/pts/", "/dev/tty", "\nterminal\n"} {
				if strings.Contains(got, not) {
					t.Errorf("the driver has %s:\n%s", not, got)
				}
			}
			for _, wanted := range []string{"variable VK_DRIVER_FILES=" + manifest + "\n", "directory /\n"} {
				if !strings.Contains(got, wanted) {
					t.Errorf("the driver lacks %s:\n%s", wanted, got)
				}
			}
		})
	}
}
