package main

import (
	"fmt"
	"os"
	"os/exec"
)

// machineCode returns an object or a program without debug information and build ids.
func machineCode(path string) ([]byte, error) {
	plain := path + ".plain"
	strip := exec.Command("objcopy", "--strip-debug", "--remove-section=.note.go.buildid",
		"--remove-section=.note.gnu.build-id", path, plain)
	if text, err := strip.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("%v: %w\n%s", strip, err, text)
	}
	defer os.Remove(plain)
	return os.ReadFile(plain)
}
