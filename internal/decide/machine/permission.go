package machine

import (
	"encoding/binary"
	"slices"
)

// Tags of the entries of an access control list in the kernel's format (acl(5)): a version, then entries of a tag,
// rights and a number.
const (
	aclUser      = 0x02
	aclFileGroup = 0x04
	aclGroup     = 0x08
	aclMask      = 0x10

	aclHead, aclEntry = 4, 8 // bytes
)

// ReadWrite is the mode of access(2), and the permission bits, for reading and writing.
const ReadWrite = 6

// MayOpen reports whether a user may open a file for reading and writing. It decides as the kernel does: by the rights
// of the file's owner, of a named user, of the groups, and of all others, in this order. list is the file's access
// control list; empty: none.
func MayOpen(user uint32, groups []uint32, owner, group, mode uint32, list []byte) bool {
	// With a list, the mode's bits of the group are the list's mask.
	named, mask := map[[2]uint32]uint32{}, uint32(7)
	groupRights := mode >> 3 & 7
	for at := aclHead; at+aclEntry <= len(list); at += aclEntry {
		tag, rights := uint32(binary.LittleEndian.Uint16(list[at:])), uint32(binary.LittleEndian.Uint16(list[at+2:]))
		switch id := binary.LittleEndian.Uint32(list[at+4:]); tag {
		case aclUser, aclGroup:
			named[[2]uint32{tag, id}] = rights
		case aclMask:
			mask = rights
		case aclFileGroup:
			groupRights = rights
		}
	}
	grants := func(rights uint32) bool { return rights&ReadWrite == ReadWrite }
	if user == owner {
		return grants(mode >> 6 & 7)
	}
	if rights, there := named[[2]uint32{aclUser, user}]; there {
		return grants(rights & mask)
	}
	member := false
	if slices.Contains(groups, group) {
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
	return !member && grants(mode&7)
}
