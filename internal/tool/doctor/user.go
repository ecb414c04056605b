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
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/term"
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
		own := strconv.Itoa(os.Getuid())
		// after su, $USER is another user
		who := cmp.Or(h.field("/etc/passwd", 0, 2, own), h.variable("USER"), "user "+own)
		shell := h.field("/etc/passwd", 6, 2, own)
		return user{name: who, id: uint32(os.Getuid()), current: !h.machine.Foreign(), known: !h.machine.Foreign(),
			inFile: shell != "", service: isOfService(own, shell)}, nil
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
			u.inFile, u.service = true, len(fields) >= 7 && isOfService(fields[2], fields[6])
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
	for _, line := range strings.Split(h.machine.Text(file), "\n") {
		if record := strings.Split(line, ":"); len(record) >= fields {
			records = append(records, record)
		}
	}
	return records
}

// regrouping returns the verb for a node whose group may not open it, and a free number for a group of the system. From
// systemd 258 on, udev ignores a rule that names a group of persons; every release ignores a rule with an unknown
// group.
func (h host) regrouping() (verb, free string) {
	const firstOfPersons = 1000
	verb = "regroup-unknown"
	used := map[int]bool{}
	for _, fields := range h.records("/etc/group", 3) {
		id, err := strconv.Atoi(fields[2])
		switch used[id] = true; {
		case fields[0] == "render" && err == nil && id >= firstOfPersons:
			verb = "regroup-of-persons"
		case fields[0] == "render":
			verb = "regroup"
		}
	}
	if len(used) == 0 || !slices.ContainsFunc([]string{"/usr/lib/udev", "/lib/udev"}, h.machine.Exists) {
		verb = "regroup"
	}
	number := firstOfPersons - 1
	for used[number] {
		number--
	}
	return verb, strconv.Itoa(number)
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

// may reports whether the user may read and write a file. For another user than the current one, it reads the file's
// access control list, with which desktops grant devices to the user at the seat, and otherwise the permission bits.
func (u *user) may(h host, file string) bool {
	if u.current {
		return machine.Accessible(file)
	}
	owner, group, mode, ok := h.owner(file)
	if !u.known || u.id == 0 || !ok {
		return true
	}
	list, _ := h.machine.Attribute(file, "system.posix_acl_access") // most files have no list
	return machine.MayOpen(u.id, u.groups, owner, group, mode, list)
}

// fileForNode returns the file or directory that is in the place of a render node; "" for none.
func (h host) fileForNode() string {
	for _, name := range h.machine.Names("/dev/dri") {
		info, err := h.machine.Stat("/dev/dri/" + name)
		if err == nil && (info.IsDir() || info.Mode().IsRegular() && !h.machine.Foreign()) &&
			strings.HasPrefix(name, "renderD") {
			return "/dev/dri/" + name
		}
	}
	return ""
}

func (h host) owner(file string) (user, group, mode uint32, ok bool) {
	info, err := h.machine.Stat(file)
	if err != nil {
		return 0, 0, 0, false
	}
	numbers, ok := machine.NumbersOf(info)
	return numbers.User, numbers.Group, uint32(info.Mode().Perm()), ok
}

// field returns a field of the first record in a file whose other field has a value: 0 is the name, 2 the number.
func (h host) field(file string, field, of int, value string) string {
	for _, fields := range h.records(file, 3) {
		if fields[of] == value {
			return fields[field]
		}
	}
	return ""
}

// isOfService reports whether a user with a number and a shell is the account of a service.
func isOfService(id, shell string) bool {
	return id != "0" && (path.Base(shell) == "nologin" || path.Base(shell) == "false")
}

// permissionCure returns advice that gives a user access to a node through its group, if it has one. units are the
// services that run as the user; nil: the user logs in.
func (e *exam) permissionCure(node string, u *user, units []string) *Remedy {
	owner, group, mode, ok := e.owner(node)
	if !ok {
		return nil
	}
	number := strconv.Itoa(int(group))
	name := e.field("/etc/group", 0, 2, number)
	args := with("node", node, "user", u.name, "gid", number, "group", name)
	for _, ofHost := range []string{"render", "video"} { // distrobox and toolbox show the host's files
		if slices.Contains(strings.Split(e.field("/run/host/etc/group", 3, 0, ofHost), ","), u.name) {
			args["hostgroup"] = []string{ofHost}
			break
		}
	}
	groupMay := mode>>3&machine.ReadWrite == machine.ReadWrite
	switch do := e.system.by("join", args); {
	case do != nil && do.because == outsideOnly:
		return do
	case group == overflowID:
		return e.system.by("map-group", args)
	case owner == overflowID:
		return e.system.by("map-owner", args)
	case do != nil && groupMay:
		return do.joining(u.id, group)
	}
	if u.current && (os.Geteuid() == 0 || mode&machine.ReadWrite == machine.ReadWrite) {
		return e.system.by("refused-node", with("node", node))
	}
	ofHost := e.system.holds("whole", nil) && name != "" && name != "render" && name != "video" // another group here
	if !groupMay || group == 0 || ofHost {
		// Not chmod: it would let everybody at the device, and udev makes the node again at the next start.
		if strings.HasPrefix(node, "/dev/nvidia") {
			return e.nvidiaNodes(node)
		}
		verb, free := e.regrouping()
		args["free"] = []string{free}
		if verb == "regroup" && strings.HasPrefix(node, "/dev/dri/renderD") &&
			slices.Contains(strings.Split(e.field("/etc/group", 3, 0, "render"), ","), u.name) {
			args["member"] = []string{u.name}
		}
		return e.system.by(verb, args)
	}
	args["units"] = term.Words(units, unitName)
	switch {
	case len(units) > 0 && !u.inFile: // systemd made the user for the service, or a directory service has it
		return e.opens(units[0], []string{"SupplementaryGroups=" +
			cmp.Or(e.field("/etc/group", 0, 2, number), number)}).joining(u.id, group)
	case len(units) > 0:
		return e.system.by("member-of-units", args).joining(u.id, group)
	}
	return e.system.by(term.Either(u.service, "member-of-service", "member"), args).joining(u.id, group)
}

// joined is a user's membership in a group that the machine does not have yet.
type joined struct{ user, group uint32 }

// services returns the processes of services, which one examination of a machine reads once.
func (e *exam) services() []process.SystemdService {
	if e.system.packages.services == nil {
		e.system.packages.services = append([]process.SystemdService{}, process.Services(e.machine)...)
	}
	return e.system.packages.services
}

// serviceUsers adds a finding for each running service that uses a graphics device and whose user can open none.
func (e *exam) serviceUsers() {
	if e.containerKind() != "" || e.class != ProcessClass {
		return
	}
	var usable []*GPU
	closed := false
	for g := range each(e.GPUs) {
		if len(g.Nodes) > 0 && len(g.Drivers) > 0 && e.expects(g) {
			usable = append(usable, g)
			closed = closed || slices.ContainsFunc(g.Nodes, func(node string) bool {
				_, _, mode, known := e.owner(node)
				return known && mode&machine.ReadWrite != machine.ReadWrite // not everybody's
			})
		}
	}
	if !closed {
		return
	}
	for _, s := range e.services() {
		if s.User == 0 {
			continue
		}
		u, err := e.findUser(strconv.FormatUint(uint64(s.User), 10), nil)
		if err != nil {
			continue
		}
		member := slices.Concat(u.groups, e.options.joinedBy(s.User))
		if u.groups = slices.Concat(s.Groups, e.options.joinedBy(s.User)); e.options.User != "" &&
			(e.user.id != s.User || e.firstRefused(&e.user, usable) != "") {
			continue
		}
		node := e.firstRefused(&u, usable)
		if node == "" || e.options.User == "" && !e.usesGPU(&s) {
			continue
		}
		do := e.permissionCure(node, &u, []string{s.Unit})
		if member = slices.Concat(member, u.groups); e.firstRefused(&user{id: u.id, groups: member, known: true},
			usable) == "" {
			do = e.system.by("restart", with("units", unitName(s.Unit)))
		}
		e.add(ServicePermission, s.Unit, node, textf(forbidden, u.name, node), do)
	}
}

// unitName returns a service's name for systemctl.
func unitName(unit string) string { return strings.TrimSuffix(unit, ".service") }

// unitsOf returns the running services of a user, or those whose files name the account of a service.
func (e *exam) unitsOf(u *user) (units []string) {
	if !u.known || u.current && !u.service {
		return nil
	}
	for _, s := range e.services() {
		if s.User == u.id && !slices.Contains(units, s.Unit) {
			units = append(units, s.Unit)
		}
	}
	if u.service && len(units) == 0 {
		return process.UnitsOf(e.machine, u.name)
	}
	return units
}

// addGroups gives the user the groups of its services, if its name selects it, and those of a fix in trial.
func (e *exam) addGroups() {
	u, more := &e.user, e.options.joinedBy(e.user.id)
	if e.options.User != "" && e.options.Groups == nil {
		for _, s := range e.services() {
			if s.User == u.id {
				u.groups = append(u.groups, s.Groups...)
			}
		}
	} else if own, err := os.Getgroups(); u.current && len(more) > 0 && err == nil {
		// the kernel does not know of the fix
		u.current, u.groups = false, term.Words(append(own, os.Getgid()), func(g int) uint32 { return uint32(g) })
	}
	u.groups = slices.Concat(u.groups, more)
}

// joinedBy returns the groups that a fix in trial gives to a user.
func (o *Options) joinedBy(id uint32) (groups []uint32) {
	for _, j := range o.joined {
		if j.user == id {
			groups = append(groups, j.group)
		}
	}
	return groups
}

// firstRefused returns the first node that keeps a user from all of some devices; "" if the user may use one of them.
func (e *exam) firstRefused(u *user, gpus []*GPU) (first string) {
	for _, g := range gpus {
		node := u.refusedNode(e.host, g)
		if node == "" {
			return ""
		}
		if first == "" {
			first = node
		}
	}
	return first
}

// usesGPU reports whether a service uses a graphics device, by its name, unit or libraries.
func (e *exam) usesGPU(s *process.SystemdService) bool {
	program, _, _ := strings.Cut(strings.Join(s.Command, "\x00"), "\x00")
	for _, name := range []string{s.Unit, s.Name, path.Base(program)} {
		if hasPrefixOf("gpu-program", strings.ToLower(name)) {
			return true
		}
	}
	unit := strings.ToLower(process.UnitText(e.machine, process.Unit{Name: s.Unit}, ""))
	for line := range strings.SplitSeq(unit, "\n") {
		if !strings.HasPrefix(line, "inaccessiblepaths") && hasTextOf("gpu-unit", []byte(line)) {
			return true
		}
	}
	if !path.IsAbs(program) {
		return false
	}
	f := e.linker.Open(program)
	return f != nil && f.Err() == nil &&
		slices.ContainsFunc(f.Needed, func(library string) bool { return hasPrefixOf("gpu-library", library) })
}

// confinement are the settings of a unit that keep devices from the service.
type confinement struct {
	private bool
	policy  string
	allowed []string
}

// confinementOf reads the settings of a unit's files, of which the last one counts; an empty value of a list clears it.
func confinementOf(text string) (c confinement) {
	for _, line := range strings.Split(text, "\n") {
		key, value, _ := strings.Cut(line, "=")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(key) {
		case "PrivateDevices":
			c.private = slices.Contains([]string{"yes", "true", "on", "1"}, strings.ToLower(value))
		case "DevicePolicy":
			c.policy = value
		case "DeviceAllow":
			name, _, _ := strings.Cut(value, " ")
			if c.allowed = append(c.allowed, name); name == "" {
				c.allowed = nil
			}
		}
	}
	return c
}

// keeps returns the setting that keeps a node from the service, its effect, and the lines of a drop-in against it.
func (c *confinement) keeps(node string) (setting, does string, lines []string) {
	class := term.Either(strings.HasPrefix(node, "/dev/dri/"), "char-drm", node)
	switch {
	case c.private:
		return "PrivateDevices=", "hides NODE from the service", []string{"PrivateDevices=no"}
	case slices.ContainsFunc(c.allowed, func(device string) bool { return allows(device, node) }):
		return "", "", nil
	case c.policy == "closed" || c.policy == "strict":
		return "DevicePolicy=" + c.policy, "closes NODE to the service", []string{"DeviceAllow=" + class + " rw"}
	case len(c.allowed) > 0:
		return "DeviceAllow=", "closes NODE to the service", []string{"DeviceAllow=" + class + " rw"}
	}
	return "", "", nil
}

// allows reports whether a device of DeviceAllow=, a node or a group with wildcards, includes a node.
func allows(device, node string) bool {
	if device == node {
		return true
	}
	pattern, is := strings.CutPrefix(device, "char-")
	groups := []string{"drm"}
	if strings.HasPrefix(node, "/dev/nvidia") {
		groups = nameLists()["nvidia-group"]
	} else if !strings.HasPrefix(node, "/dev/dri/") {
		return device == "char-*"
	}
	return is && slices.ContainsFunc(groups, func(group string) bool {
		match, err := path.Match(pattern, group)
		return match && err == nil
	})
}

// dropIn is the text that a fix in trial adds to a unit.
type dropIn struct {
	unit  string
	lines string // joined by line breaks
}

// unitText returns the settings of a service's unit, with those of a fix in trial.
func (e *exam) unitText(unit string) string {
	text := process.UnitText(e.machine, process.Unit{Name: unit}, "")
	for _, d := range e.options.dropIns {
		if d.unit == unit {
			text += d.lines + "\n"
		}
	}
	return text
}

// serviceDevices adds a finding for each running service that uses a graphics device, whose unit keeps the device's
// node from it.
func (e *exam) serviceDevices() {
	if e.containerKind() != "" || e.class != ProcessClass {
		return
	}
	said := map[string]bool{}
	for _, s := range e.services() {
		c := confinementOf(e.unitText(s.Unit))
		for g := range each(e.GPUs) {
			for _, node := range g.Nodes {
				setting, does, lines := c.keeps(node)
				if setting == "" || said[s.Unit] || len(g.Drivers) == 0 || !e.expects(g) || !e.usesGPU(&s) {
					continue
				}
				said[s.Unit] = true
				e.add(ServiceDevices, s.Unit, node, sentence(setting+" "+strings.Replace(does, "NODE", node, 1)),
					e.opens(s.Unit, lines))
			}
		}
	}
}

// opens returns advice to add lines to a unit of the system.
func (e *exam) opens(name string, lines []string) *Remedy {
	u := unit{Unit: process.Unit{Name: name}, directory: "/etc/systemd/system", nixos: e.system.is("nixos")}
	key, value, _ := strings.Cut(lines[len(lines)-1], "=")
	switch {
	case key == "PrivateDevices":
		value = "lib.mkForce false"
	case key == "DeviceAllow":
		value = `[ "` + value + `" ]`
	default:
		value = "lib.mkForce [ " + strings.Join(term.Words(strings.Fields(value), strconv.Quote), " ") + " ]"
	}
	text := strings.Join(lines, "\n")
	return u.change(key, lines, []string{"serviceConfig." + key + " = " + value}).
		having(&effect{name: "unit " + name + " " + text,
			on: func(source *machine.Source, with Options) (*machine.Source, Options, bool) {
				with.dropIns = append(slices.Clone(with.dropIns), dropIn{name, text})
				return source, with, true
			}})
}
