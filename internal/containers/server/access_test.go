package server

import (
	"encoding/binary"
	"os"
	"testing"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/decide/machine"
)

// acl returns an access control list of entries with three numbers each: tag, rights and id.
func acl(entries ...uint32) []byte {
	list := []byte{2, 0, 0, 0}
	for i := 0; i < len(entries); i += 3 {
		list = binary.LittleEndian.AppendUint16(list, uint16(entries[i]))
		list = binary.LittleEndian.AppendUint16(list, uint16(entries[i+1]))
		list = binary.LittleEndian.AppendUint32(list, entries[i+2])
	}
	return list
}

// A client gets a node only if its user could open the node without the service.
//
// holds: PRO-039
func TestAllowed(t *testing.T) {
	t.Parallel()
	const none = 0xffffffff
	for _, c := range []struct {
		name string
		uid  uint32
		mode uint32
		list []byte
		want bool
	}{
		{"others", 7, 0o666, nil, true},
		{"others may read only", 7, 0o664, nil, false},
		{"a member of the group", 5, 0o660, nil, true},
		{"a member of a group that may less than others", 5, 0o606, nil, false},
		{"the owner", 1, 0o600, nil, true},
		{"an owner who may less than others", 1, 0o066, nil, false},
		{"a user by name", 7, 0o660, acl(1, 6, none, 2, 6, 7, 4, 6, none, 16, 6, none, 32, 0, none), true},
		{"beyond the mask", 7, 0o640, acl(1, 6, none, 2, 6, 7, 4, 6, none, 16, 4, none, 32, 0, none), false},
		{"another user by name", 8, 0o660, acl(1, 6, none, 2, 6, 7, 4, 6, none, 16, 6, none, 32, 0, none), false},
		{"a group by name", 6, 0o660, acl(1, 6, none, 4, 0, none, 8, 6, 60, 16, 6, none, 32, 0, none), true},
		{"the group of the file, in the list", 5, 0o660, acl(1, 6, none, 4, 0, none, 8, 6, 61, 16, 6, none, 32, 0, none), false},
		{"a list cut off", 7, 0o600, acl(2, 6, 7)[:9], false},
	} {
		groups := map[uint32][]uint32{5: {50}, 6: {60}}[c.uid]
		if got := machine.MayOpen(c.uid, groups, 1, 50, c.mode, c.list); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
	null, err := os.OpenFile("/dev/null", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer null.Close()
	for _, uid := range []uint32{0, uint32(os.Geteuid()), 4242} {
		if may, err := mayOpen(protocol.Peer{UID: uid, GID: 4242}, null); err != nil || !may {
			t.Errorf("%d may open /dev/null: %v, %v", uid, may, err)
		}
	}
}
