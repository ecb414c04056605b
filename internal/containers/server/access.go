package server

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/user"
	"slices"
	"strconv"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
)

// mayOpen reports whether a client's user may open a node for reading and writing, by its mode and its access control list,
// which the desktop's seat manager sets. The service has more rights, and opens the node only for these users.
func mayOpen(peer protocol.Peer, node *os.File) (bool, error) {
	raw, err := node.SyscallConn()
	if err != nil {
		return false, err
	}
	var info unix.Stat_t
	var failed error
	list := make([]byte, 4096)
	err = raw.Control(func(fd uintptr) {
		failed = unix.Fstat(int(fd), &info)
		n, err := unix.Getxattr(fmt.Sprintf("/proc/self/fd/%d", fd), "system.posix_acl_access", list)
		if err != nil { // most nodes have no list
			n = 0
		}
		list = list[:n]
	})
	if err = errors.Join(err, failed); err != nil {
		return false, err
	}
	return peer.UID == 0 || int(peer.UID) == os.Geteuid() || allowed(peer.UID, groupsOf(peer), &info, list), nil
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

// Tags of entries of a list of access rights, as acl(5) describes them and the kernel stores them.
const (
	aclUser  = 0x02
	aclGroup = 0x08
	aclMask  = 0x10

	aclHead, aclEntry = 4, 8 // bytes
)

const readWrite = 6

// allowed decides as the kernel does: by the rights of the owner, of a named user, of the groups, and of all others, in this order.
func allowed(uid uint32, groups []uint32, info *unix.Stat_t, list []byte) bool {
	// With a list, the mode's bits of the group are the list's mask.
	named, mask := map[[2]uint32]uint32{}, uint32(7)
	groupRights := info.Mode >> 3 & 7
	for at := aclHead; at+aclEntry <= len(list); at += aclEntry {
		tag, rights := uint32(binary.LittleEndian.Uint16(list[at:])), uint32(binary.LittleEndian.Uint16(list[at+2:]))
		switch id := binary.LittleEndian.Uint32(list[at+4:]); tag {
		case aclUser, aclGroup:
			named[[2]uint32{tag, id}] = rights
		case aclMask:
			mask = rights
		case 0x04: // the group of the file
			groupRights = rights
		}
	}
	grants := func(rights uint32) bool { return rights&readWrite == readWrite }
	if uid == info.Uid {
		return grants(info.Mode >> 6 & 7)
	}
	if rights, there := named[[2]uint32{aclUser, uid}]; there {
		return grants(rights & mask)
	}
	member := false
	if slices.Contains(groups, info.Gid) {
		if member = true; grants(groupRights & mask) {
			return true
		}
	}
	for _, g := range groups {
		if rights, there := named[[2]uint32{aclGroup, g}]; there {
			if member = true; grants(rights & mask) {
				return true
			}
		}
	}
	return !member && grants(info.Mode&7)
}
