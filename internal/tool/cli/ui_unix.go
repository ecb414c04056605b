//go:build unix

package cli

import (
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/spawn"
)

// openPage opens a page in a browser. It passes the address in a file that only this user can read, because arguments are
// public. forget removes the file.
func openPage(address string) (forget func(), err error) {
	program, err := exec.LookPath(opener)
	if err != nil {
		return func() {}, err
	}
	directory, err := machine.TemporaryDirectory(os.Getenv(variables.RuntimeDirectory.Name()), "vkloader-ui-")
	if err != nil {
		return func() {}, err
	}
	forget = func() { _ = os.RemoveAll(directory) }
	file := filepath.Join(directory, "vkloader.html")
	text := fmt.Sprintf("<!DOCTYPE html>\n<meta charset=\"utf-8\">\n<meta http-equiv=\"refresh\" content=\"0; url=%s\">\n<title>vkloader</title>\n",
		html.EscapeString(address))
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return forget, err
	}
	cmd := exec.Command(program, file)
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	if err := spawn.Start(cmd); err != nil {
		return forget, err
	}
	go func() { _ = cmd.Wait() }()
	return forget, nil
}
