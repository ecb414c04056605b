package cli

import (
	"errors"
	"fmt"
	"html"
	"os"
	"os/exec"
	"path/filepath"

	"golang.org/x/sys/unix"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/machine"
)

// hungUp calls end when nobody is left at the other end of standard input: the terminal is gone, or a pipe was closed. It
// waits for that alone and reads nothing, so that a page in the background is not stopped.
func hungUp(end func()) {
	for {
		files := []unix.PollFd{{Fd: 0, Events: unix.POLLRDHUP}}
		_, err := unix.Poll(files, -1)
		switch {
		case errors.Is(err, unix.EINTR):
		case err != nil || files[0].Revents&unix.POLLNVAL != 0:
			return // there is no standard input
		default:
			end()
			return
		}
	}
}

// openPage starts a browser on a page. The address goes by a file that only this user reads: arguments are for everybody
// to see. forget removes the file.
func openPage(address string) (forget func(), err error) {
	opener, err := exec.LookPath("xdg-open")
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
	cmd := exec.Command(opener, file)
	cmd.SysProcAttr = &unix.SysProcAttr{Setpgid: true}
	if err := cmd.Start(); err != nil {
		return forget, err
	}
	go func() { _ = cmd.Wait() }()
	return forget, nil
}
