package doctor

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/term"
)

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
			closed = closed || slices.ContainsFunc(g.Nodes, func(node string) bool { return !e.open(node) })
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
		if u.groups = slices.Concat(s.Groups, e.options.joinedBy(s.User)); e.options.User != "" && (e.user.id != s.User || e.firstRefused(&e.user, usable) != "") {
			continue
		}
		node := e.firstRefused(&u, usable)
		if node == "" || e.options.User == "" && !e.usesGPU(&s) {
			continue
		}
		do := e.permissionCure(node, &u, []string{s.Unit})
		if member = slices.Concat(member, u.groups); e.firstRefused(&user{id: u.id, groups: member, known: true}, usable) == "" {
			do = restart(s.Unit)
		}
		e.add(ServicePermission, s.Unit, node, textf(forbidden, u.name, node), do)
	}
}

// restart returns advice to restart services, whose processes keep the groups that they were started with.
func restart(units ...string) *Remedy {
	command := "systemctl restart " + shell.Words(term.Words(units, unitName)...)
	return asRoot(command).withObstacle(outsideOnly)
}

// unitName returns a service's name for systemctl.
func unitName(unit string) string { return strings.TrimSuffix(unit, ".service") }

// unitsOf returns the running services of a user.
func (e *exam) unitsOf(u *user) (units []string) {
	if u.current || !u.known {
		return nil
	}
	for _, s := range e.services() {
		if s.User == u.id && !slices.Contains(units, s.Unit) {
			units = append(units, s.Unit)
		}
	}
	return units
}

// addGroups gives the named user the groups of its services and those of a fix in trial.
func (e *exam) addGroups() {
	if e.options.User == "" || e.options.Groups != nil {
		return
	}
	for _, s := range e.services() {
		if s.User == e.user.id {
			e.user.groups = append(e.user.groups, s.Groups...)
		}
	}
	e.user.groups = append(e.user.groups, e.options.joinedBy(e.user.id)...)
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

// open reports whether every user may read and write a file.
func (h host) open(file string) bool {
	_, _, mode, ok := h.owner(file)
	return !ok || mode&machine.ReadWrite == machine.ReadWrite
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

// usesGPU reports whether a service uses a graphics device, by its name, unit, groups or libraries.
func (e *exam) usesGPU(s *process.SystemdService) bool {
	program, _, _ := strings.Cut(strings.Join(s.Command, "\x00"), "\x00")
	for _, name := range []string{s.Unit, s.Name, path.Base(program)} {
		if slices.ContainsFunc(nameLists()["gpu-program"], func(known string) bool { return strings.HasPrefix(strings.ToLower(name), known) }) {
			return true
		}
	}
	unit := strings.ToLower(process.UnitText(e.machine, process.Unit{Name: s.Unit}, ""))
	for line := range strings.SplitSeq(unit, "\n") {
		if !strings.HasPrefix(line, "inaccessiblepaths") && slices.ContainsFunc(nameLists()["gpu-unit"],
			func(text string) bool { return strings.Contains(line, text) }) {
			return true
		}
	}
	for _, fields := range e.records("/etc/group", 3) {
		id, err := strconv.ParseUint(fields[2], 10, 32)
		if err == nil && (fields[0] == "render" || fields[0] == "video") && slices.Contains(s.Groups, uint32(id)) {
			return true
		}
	}
	if !path.IsAbs(program) {
		return false
	}
	f := e.linker.Open(program)
	return f != nil && f.Err() == nil && slices.ContainsFunc(f.Needed, func(library string) bool {
		return slices.ContainsFunc(nameLists()["gpu-library"], func(known string) bool { return strings.HasPrefix(library, known) })
	})
}

// confinement are the settings of a unit that keep devices from the service.
type confinement struct {
	private      bool
	policy       string
	allowed      []string
	inaccessible []string
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
		case "InaccessiblePaths":
			if c.inaccessible = append(c.inaccessible, strings.Fields(value)...); value == "" {
				c.inaccessible = nil
			}
		}
	}
	return c
}

// keeps returns the setting that keeps a node from the service, its effect, and the lines of a drop-in against it.
func (c *confinement) keeps(node string) (setting, does string, lines []string) {
	hides := func(place string) bool {
		place = strings.TrimLeft(place, "-+")
		return place != "" && (node == place || strings.HasPrefix(node, strings.TrimSuffix(place, "/")+"/"))
	}
	class := term.Either(strings.HasPrefix(node, "/dev/dri/"), "char-drm", node)
	switch {
	case c.private:
		return "PrivateDevices=", "hides NODE from the service", []string{"PrivateDevices=no"}
	case slices.ContainsFunc(c.inaccessible, hides):
		lines = []string{"InaccessiblePaths="} // it clears the list
		if others := slices.DeleteFunc(slices.Clone(c.inaccessible), hides); len(others) > 0 {
			lines = append(lines, "InaccessiblePaths="+strings.Join(others, " "))
		}
		return "InaccessiblePaths=", "hides NODE from the service", lines
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

// serviceDevices adds a finding for each running service that uses a graphics device, whose unit keeps the device's node from it.
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
				e.add(ServiceDevices, s.Unit, node, sentence(setting+" "+strings.Replace(does, "NODE", node, 1)), e.opens(s.Unit, lines))
			}
		}
	}
}

// opens returns advice to add lines to a unit of the system.
func (e *exam) opens(name string, lines []string) *Remedy {
	u := unit{Unit: process.Unit{Name: name}, directory: "/etc/systemd/system"}
	if e.system.is("nixos") {
		key, value, _ := strings.Cut(lines[len(lines)-1], "=")
		switch {
		case key == "PrivateDevices":
			value = "lib.mkForce false"
		case key == "DeviceAllow":
			value = `[ "` + value + `" ]`
		default:
			value = "lib.mkForce [ " + strings.Join(term.Words(strings.Fields(value), strconv.Quote), " ") + " ]"
		}
		return e.system.by("configure", with("text", `systemd.services."`+unitName(name)+`".serviceConfig.`+key+" = "+value+";"))
	}
	file, _, _ := strings.Cut(lines[0], "=")
	text := strings.Join(lines, "\n")
	return asRoot(u.dropIn(file, lines)).having("unit "+name+" "+text, func(source *machine.Source, with Options) (*machine.Source, Options, bool) {
		with.dropIns = append(slices.Clone(with.dropIns), dropIn{name, text})
		return source, with, true
	})
}
