package doctor

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
)

// user is the user whose permissions are examined.
type user struct {
	name    string
	current bool // the current user, for whom the kernel answers
	known   bool
	id      uint32
	groups  []uint32
	inFile  bool // /etc/passwd has the user
	service bool // it has no shell, as the account of a service
}

// findUser looks a name or number up in the machine's passwd(5) and, if groups is nil, in its group(5). "" selects the
// current user; a foreign machine has none.
func (h host) findUser(name string, groups []uint32) (user, error) {
	if name == "" {
		who := cmp.Or(h.variable("USER"), fmt.Sprintf("user %d", os.Getuid()))
		return user{name: who, current: !h.machine.Foreign(), known: !h.machine.Foreign()}, nil
	}
	u := user{name: name, known: true}
	found := false
	if id, err := strconv.ParseUint(name, 10, 32); err == nil {
		u.id, u.name, found = uint32(id), "user "+name, true
	}
	for _, fields := range h.records("/etc/passwd", 4) {
		id, err := strconv.ParseUint(fields[2], 10, 32)
		group, err2 := strconv.ParseUint(fields[3], 10, 32)
		if err == nil && err2 == nil && (fields[0] == name || fields[2] == name) {
			u.id, u.name, u.groups, found = uint32(id), fields[0], []uint32{uint32(group)}, true
			shell := path.Base(fields[len(fields)-1])
			u.inFile, u.service = true, len(fields) >= 7 && fields[2] != "0" && (shell == "nologin" || shell == "false")
			break
		}
	}
	if !found {
		return u, fmt.Errorf("no user %q in /etc/passwd", name)
	}
	if groups != nil {
		u.groups = groups
		return u, nil
	}
	for _, fields := range h.records("/etc/group", 4) {
		id, err := strconv.ParseUint(fields[2], 10, 32)
		if err == nil && slices.Contains(strings.Split(fields[3], ","), u.name) {
			u.groups = append(u.groups, uint32(id))
		}
	}
	return u, nil
}

// records returns a file's colon-separated lines with at least a number of fields.
func (h host) records(file string, fields int) [][]string {
	var records [][]string
	for _, line := range strings.Split(h.text(file), "\n") {
		if record := strings.Split(line, ":"); len(record) >= fields {
			records = append(records, record)
		}
	}
	return records
}

// refusedNode returns the first node of a device that the user may not open; "" if there is none, or it is unknown.
func (u *user) refusedNode(h host, g *GPU) string {
	for _, node := range g.Nodes {
		if !u.may(h, node) {
			return node
		}
	}
	return ""
}

// may reports whether the user may read and write a file. For another user than the current one, it reads the file's access
// control list, with which desktops grant devices to the user at the seat, and otherwise the permission bits.
func (u *user) may(h host, file string) bool {
	if u.current {
		return accessible(file)
	}
	owner, group, mode, ok := h.owner(file)
	if !u.known || u.id == 0 || !ok {
		return true
	}
	list, _ := h.machine.Attribute(file, "system.posix_acl_access") // most files have no list
	return machine.MayOpen(u.id, u.groups, owner, group, mode, list)
}

func (h host) owner(file string) (user, group, mode uint32, ok bool) {
	info, err := h.machine.Stat(file)
	if err != nil {
		return 0, 0, 0, false
	}
	numbers, ok := machine.NumbersOf(info)
	return numbers.User, numbers.Group, uint32(info.Mode().Perm()), ok
}

// group returns a field of the record in /etc/group whose other field has a value: 0 is the name, 2 the number.
func (h host) group(field, of int, value string) string {
	for _, fields := range h.records("/etc/group", 3) {
		if fields[of] == value {
			return fields[field]
		}
	}
	return ""
}

// sandboxAdvice returns advice about a node that a process may not open although the node's permissions allow it.
func (h host) sandboxAdvice(node string) *Remedy {
	what := "a sandbox, a security module, the device rules of a container or the mount option nodev"
	return newAdvice("What refuses it is " + what + ". Allow " + node +
		" for reading and writing there, or start the program without it.").withObstacle(outsideOnly)
}

// permissionCure returns advice that gives a user access to a node through its group, if it has one. units are the services
// that run as the user; nil: the user logs in.
func (e *exam) permissionCure(node string, u *user, units []string) *Remedy {
	owner, group, mode, ok := e.owner(node)
	if !ok {
		return nil
	}
	args := with("node", node, "user", e.user.name, "gid", strconv.Itoa(int(group)))
	groupMay := mode>>3&machine.ReadWrite == machine.ReadWrite
	switch do, is := e.system.remedy("join", args); {
	case is && do.because == outsideOnly:
		return do
	case group == overflowID:
		return e.system.by("map-group", args)
	case owner == overflowID:
		return e.system.by("map-owner", args)
	case is && groupMay:
		return do.giving(group)
	}
	if u.current && (os.Geteuid() == 0 || mode&machine.ReadWrite == machine.ReadWrite) {
		return e.sandboxAdvice(node)
	}
	if !groupMay || group == 0 {
		// Not chmod: it would let everybody at the device, and udev makes the node again at the next start.
		do := e.system.by("regroup", args)
		if do.because == ofKernel && strings.HasPrefix(node, "/dev/nvidia") {
			return e.nvidiaNodes(node)
		}
		return do
	}
	number := strconv.Itoa(int(group))
	name := e.group(0, 2, number)
	var lines []shell.Line
	if name == "" { // the number of another system, for example the container's host; usermod takes known groups alone
		name = "gpu" + number
		lines = append(lines, "groupadd --gid "+shell.Words(number, name))
	}
	do := asRoot(shell.Join(append(lines, "usermod -aG "+shell.Words(name, u.name)), " && "))
	switch {
	case !u.inFile && len(units) > 0: // systemd made the user for the service, or a directory service has it
		return newAdvice("The user "+u.name+" is not in /etc/passwd. Run as root: systemctl edit "+string(shell.Quoted(unitName(units[0])))+", write the lines "+
			"[Service] and SupplementaryGroups="+name+", and restart the service: "+string(restart(units...).lines[0])).reaching(u.id, group)
	case len(units) > 0:
		again := restart(units...)
		do.text += ", then: " + string(again.lines[0])
		do.lines = append(do.lines, again.lines...)
		return do.reaching(u.id, group)
	case u.service:
		do.text += "; then start the service again: systemctl restart SERVICE"
	default:
		do.text += "; then log in again"
	}
	return do.giving(group)
}
