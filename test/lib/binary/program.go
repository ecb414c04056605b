package binary

import (
	"os"
	"syscall"
)

// WriteProgram writes a program for the test to run. A child that another test starts while the file is open for writing keeps it
// open until it executes its program, and until then the kernel refuses to execute the file ("text file busy").
func WriteProgram(path string, content []byte) error {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	return os.WriteFile(path, content, 0o755)
}
