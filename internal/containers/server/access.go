package server

import (
	"fmt"
	"os"
	"os/user"
	"strconv"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/decide/descriptor"
	"vkloader/internal/decide/machine"
)

// mayOpen reports whether a client's user may open a node for reading and writing, by its mode and its access control
// list, which the desktop's seat manager sets. The service has more rights, and opens the node only for these users.
func mayOpen(peer protocol.Peer, node *os.File) (bool, error) {
	var info unix.Stat_t
	list := make([]byte, 4096)
	err := descriptor.Use(node, func(fd int) error {
		n, err := unix.Getxattr(fmt.Sprintf("/proc/self/fd/%d", fd), "system.posix_acl_access", list)
		if err != nil { // most nodes have no list
			n = 0
		}
		list = list[:n]
		return unix.Fstat(fd, &info)
	})
	if err != nil {
		return false, err
	}
	return peer.UID == 0 || int(peer.UID) == os.Geteuid() ||
		machine.MayOpen(peer.UID, groupsOf(peer), info.Uid, info.Gid, info.Mode, list), nil
}

// groupsOf returns the groups of a client's user.
func groupsOf(peer protocol.Peer) []uint32 {
	groups := []uint32{peer.GID}
	if u, err := user.LookupId(strconv.Itoa(int(peer.UID))); err == nil {
		ids, _ := u.GroupIds()
		for _, id := range ids {
			if n, err := strconv.ParseUint(id, 10, 32); err == nil {
				groups = append(groups, uint32(n))
			}
		}
	}
	return groups
}
