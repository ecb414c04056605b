package server

import (
	"fmt"
	"os"
	"os/user"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/decide/machine"
)

// person is the unit of the limits: a user with all subordinate users. The machine's administrator and the service's
// own user are other persons than users with the same numbers in containers.
type person struct {
	uid  uint32
	here bool // the administrator or the service's own user, outside of containers
}

// subordinates is the path of the table of subordinate users' ranges, which subuid(5) describes.
const subordinates = "/etc/subuid"

// personOf returns the person of a client.
func personOf(peer protocol.Peer) person {
	if peer.UID == 0 || int(peer.UID) == os.Geteuid() {
		return person{peer.UID, !peer.Nested}
	}
	if owner, err := namespaceOwner(peer.PID); err == nil && owner != 0 && int(owner) != os.Geteuid() {
		return person{uid: owner}
	}
	text, err := (&machine.Machine{}).ReadFile(subordinates)
	if err != nil {
		return person{uid: peer.UID}
	}
	return person{uid: superior(peer.UID, string(text))}
}

// superior returns the user to whom the table gives a subordinate user, or the user itself.
func superior(uid uint32, table string) uint32 {
	for line := range strings.Lines(table) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), ":")
		from, count, _ := strings.Cut(rest, ":")
		first, err := strconv.ParseUint(from, 10, 32)
		length, wrong := strconv.ParseUint(count, 10, 32)
		if err != nil || wrong != nil || uint64(uid) < first || uint64(uid) >= first+length {
			continue
		}
		if u, err := user.Lookup(name); err == nil {
			name = u.Uid
		}
		if owner, err := strconv.ParseUint(name, 10, 32); err == nil {
			return uint32(owner)
		}
	}
	return uid
}

// namespaceOwner returns the user who created the user namespace of a process. Of nested namespaces, the outermost one
// counts.
func namespaceOwner(pid int32) (uint32, error) {
	var own, its unix.Stat_t
	if err := unix.Stat("/proc/self/ns/user", &own); err != nil {
		return 0, err
	}
	fd, err := unix.Open(fmt.Sprintf("/proc/%d/ns/user", pid), unix.O_RDONLY|unix.O_CLOEXEC, 0)
	if err != nil {
		return 0, err
	}
	defer func() { unix.Close(fd) }()
	owner, known := uint32(0), false
	for {
		if err := unix.Fstat(fd, &its); err != nil {
			return 0, err
		}
		if its.Ino == own.Ino && its.Dev == own.Dev {
			break
		}
		if owner, err = unix.IoctlGetUint32(fd, unix.NS_GET_OWNER_UID); err != nil {
			return 0, err
		}
		known = true
		parent, err := unix.IoctlRetInt(fd, unix.NS_GET_PARENT)
		if err != nil {
			return 0, err
		}
		unix.Close(fd)
		fd = parent
	}
	if !known {
		return 0, os.ErrNotExist
	}
	return owner, nil
}
