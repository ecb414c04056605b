package process

import (
	"bytes"
	"io/fs"
	"os"

	"vkloader/internal/decide/machine"
)

// FileRights says in words why the kernel starts a program with more rights than its user has; "": the kernel does not.
type FileRights string

// Reasons.
const (
	SetUser      FileRights = "set-user-ID"
	SetGroup     FileRights = "set-group-ID"
	Capabilities FileRights = "file capabilities"
)

// RightsOf returns why the kernel would give the program in a file more rights than the tool's user has. If the user is
// root, it answers for other users, because root's programs gain no rights.
func RightsOf(m *machine.Machine, program string) FileRights {
	info, err := m.Stat(program)
	if err != nil || !info.Mode().IsRegular() {
		return ""
	}
	own := owned{}
	if !m.Foreign() {
		if own = caller(info); keepsRights(program) {
			return ""
		}
	}
	reason := FileRights("")
	switch value, err := m.Attribute(program, "security.capability"); {
	case info.Mode()&fs.ModeSetuid != 0 && !own.user:
		reason = SetUser
	case info.Mode()&fs.ModeSetgid != 0 && info.Mode()&groupExecutes != 0 && !own.group:
		reason = SetGroup
	case err == nil && len(value) > 0:
		reason = Capabilities
	}
	if reason != "" && isScript(m, program) { // the kernel ignores these rights of a script
		return ""
	}
	return reason
}

// caller reports whether a file belongs to the ordinary user who runs the tool, and to that user's group. For root it
// reports neither.
func caller(info fs.FileInfo) owned {
	numbers, known := machine.NumbersOf(info)
	if !known || os.Getuid() == 0 {
		return owned{}
	}
	return owned{int(numbers.User) == os.Getuid(), int(numbers.Group) == os.Getgid()}
}

// groupExecutes is the group's right to execute; without it the set-group-ID bit does not change the group.
const groupExecutes = 0o010

// owned reports whether a file belongs to an ordinary user who runs the tool, and to the group.
type owned struct{ user, group bool }

func isScript(m *machine.Machine, program string) bool {
	f, err := m.Open(program)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, 2)
	n, _ := f.ReadAt(head, 0)
	return bytes.Equal(head[:n], []byte("#!"))
}
