package commands

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// serviceText runs the driver service until it has examined the machine and its packages, or has ended, and returns its log and its
// status.
func serviceText(t *testing.T, environ []string, options ...string) (log, status string) {
	t.Helper()
	directory, err := os.MkdirTemp("", "vks") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(directory)
	defer os.RemoveAll(directory + "-private")
	var said bytes.Buffer
	cmd := exec.Command(tool, append([]string{"service", "run", "--directory", directory}, options...)...)
	cmd.Env, cmd.Stderr = append(environ, "PATH=/usr/bin:/bin"), &said
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	over := false
	for end := time.Now().Add(time.Minute); !over && time.Now().Before(end); {
		ask := exec.Command(tool, "service", "status")
		ask.Env = []string{"VKLOADERD_DIR=" + directory}
		out, err := ask.Output()
		if status = string(out); err == nil && !strings.Contains(status, "still searching") {
			break
		}
		select {
		case <-ended:
			over = true
		case <-time.After(20 * time.Millisecond):
		}
	}
	if !over {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		<-ended
	}
	return said.String(), status
}
