//go:build unix

package cli

import (
	"context"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/spawn"
	"vkloader/internal/tool/term"
)

// openPage opens a page in a browser. It passes the address in a file that only this user can read, because arguments
// are public. forget removes the file.
func openPage(environ []string, address string) (forget func(), err error) {
	program, err := exec.LookPath(term.Either(onLinux, "xdg-open", "open"))
	if err != nil {
		return func() {}, err
	}
	directory, err := machine.TemporaryDirectory(os.Getenv(variables.RuntimeDirectory.Name()), "vkloader-ui-")
	if err != nil {
		return func() {}, err
	}
	forget = func() { _ = os.RemoveAll(directory) }
	file := filepath.Join(directory, "vkloader.html")
	text := fmt.Sprintf(
		"<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n<title>vkloader</title>\n",
		html.EscapeString(address))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return forget, err
	}
	cmd := spawn.New(context.Background(), spawn.Helper, program, file)
	cmd.Env = environ
	if err := cmd.Start(); err != nil {
		return forget, err
	}
	go func() { _ = cmd.Wait() }()
	return forget, nil
}

// runAndWait starts a child that leads a process group, and waits for it. The end of the child's context terminates the
// group. Its processes get some time to end their own children, which are in other groups, and are then killed.
func runAndWait(child *spawn.Child) error {
	group := func(s syscall.Signal) error { return syscall.Kill(-child.Process.Pid, s) }
	var asked atomic.Bool
	child.Cancel = func() error {
		asked.Store(true)
		_ = group(syscall.SIGTERM)
		return nil
	}
	if err := child.Start(); err != nil {
		return err
	}
	err := child.Wait()
	if asked.Load() {
		for end := time.Now().Add(childEnd); time.Now().Before(end) &&
			group(0) == nil; time.Sleep(10 * time.Millisecond) {
		}
	}
	_ = group(syscall.SIGKILL)
	return err
}
