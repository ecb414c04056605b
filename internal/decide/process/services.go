package process

import (
	"maps"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"vkloader/internal/decide/machine"
)

// SystemdService is a running process of one of systemd's services.
type SystemdService struct {
	Process
	Unit string // with the suffix ".service"
}

// Bounds of a search for services.
const (
	maxProcesses = 4096
	maxSearch    = 100 * time.Millisecond
)

// Services returns the processes of systemd's services, one for each service and user. It reads only files of /proc
// that every user may read.
func Services(m *machine.Machine) (list []SystemdService) {
	type one struct {
		unit string
		user uint32
	}
	seen, end := map[one]bool{}, time.Now().Add(maxSearch)
	text := func(pid, name string) string {
		data, _ := m.ReadFile("/proc/" + pid + "/" + name)
		return string(data)
	}
	for n, pid := range m.Names("/proc") {
		number, err := strconv.Atoi(pid)
		if err != nil {
			continue
		}
		if n > maxProcesses || !m.Foreign() && time.Now().After(end) {
			break
		}
		s := SystemdService{Unit: UnitOf(text(pid, "cgroup")), Process: Process{PID: number}}
		if s.Unit == "" {
			continue
		}
		s.readStatus(text(pid, "status"))
		if s.Name == "" || seen[one{s.Unit, s.User}] {
			continue
		}
		seen[one{s.Unit, s.User}] = true
		s.Command = split(text(pid, "cmdline"))
		list = append(list, s)
	}
	return list
}

// UnitOf returns systemd's service in a process's list of control groups (cgroups(7)); "": the process belongs to a
// session, a virtual machine or a container.
func UnitOf(list string) string {
	for _, line := range strings.Split(list, "\n") {
		fields := strings.SplitN(line, ":", 3) // number, controllers, path
		if len(fields) < 3 || fields[1] != "" && fields[1] != "name=systemd" {
			continue
		}
		parts := strings.Split(fields[2], "/")
		at := slices.IndexFunc(parts, func(p string) bool { return strings.HasSuffix(p, ".service") })
		if at < 0 || slices.ContainsFunc(parts, isForeignGroup) {
			continue
		}
		return parts[at]
	}
	return ""
}

// isForeignGroup reports whether a control group is a session's, a virtual machine's or a container's.
func isForeignGroup(group string) bool {
	return group == "user.slice" || group == "machine.slice" || strings.HasPrefix(group, "kubepods") ||
		strings.HasPrefix(group, "docker-") ||
		strings.HasPrefix(group, "libpod-") || strings.HasPrefix(group, "lxc.payload")
}

// Unit is a service of systemd.
type Unit struct {
	Name   string // with the suffix ".service"; "": none
	OfUser bool   // of a user's service manager
}

// UnitIn returns the service, of the system's or a user's service manager, in a process's list of control groups. It
// returns no name for programs that a terminal or a desktop starts: these run in scopes, or in transient services
// without a unit file.
func UnitIn(list string) Unit {
	if name := UnitOf(list); name != "" {
		return Unit{Name: name}
	}
	for _, line := range strings.Split(list, "\n") {
		_, group, _ := strings.Cut(line, "/user.slice/")
		_, group, of := strings.Cut(group, "/user@")
		parts := strings.Split(group, "/")
		if at := slices.IndexFunc(parts,
			func(p string) bool { return strings.HasSuffix(p, ".service") && p != parts[0] }); of && at > 0 &&
			!slices.ContainsFunc(parts, isForeignGroup) {
			return Unit{parts[at], true}
		}
	}
	return Unit{}
}

// UnitFiles returns the files of a unit in the order in which systemd reads them: the first unit file, then the
// drop-ins sorted by name. Of several drop-ins with one name it returns the first. configHome is the directory of the
// user's configuration.
func UnitFiles(m *machine.Machine, u Unit, configHome string) (files []string) {
	names := []string{u.Name}
	if name, _, instance := strings.Cut(u.Name, "@"); instance {
		names = append(names, name+"@.service")
	}
	directories := []string{"/etc/systemd/system", "/run/systemd/system", "/usr/lib/systemd/system",
		"/lib/systemd/system"}
	if u.OfUser {
		directories = []string{configHome + "/systemd/user", "/etc/systemd/user", "/run/systemd/user",
			"/usr/lib/systemd/user"}
	}
	dropIns := map[string]string{}
	for _, directory := range directories {
		for _, name := range names {
			if file := directory + "/" + name; len(files) == 0 && m.Exists(file) {
				files = append(files, file)
			}
			for _, more := range m.Names(directory + "/" + name + ".d") {
				if _, hidden := dropIns[more]; !hidden && strings.HasSuffix(more, ".conf") {
					dropIns[more] = path.Join(directory, name+".d", more)
				}
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(dropIns)) {
		files = append(files, dropIns[name])
	}
	return files
}

// UnitsOf returns the services of the system whose files name a user, in the order of their names.
func UnitsOf(m *machine.Machine, user string) (units []string) {
	for _, directory := range []string{"/etc/systemd/system", "/usr/lib/systemd/system"} {
		for _, name := range m.Names(directory) {
			if !strings.HasSuffix(name, ".service") || slices.Contains(units, name) {
				continue
			}
			if text := "\n" + UnitText(m, Unit{Name: name}, ""); strings.Contains(text, "\nUser="+user+"\n") {
				units = append(units, name)
			}
		}
	}
	slices.Sort(units)
	return units
}

// UnitText returns the text of a unit's file and of its drop-ins, without comments.
func UnitText(m *machine.Machine, u Unit, configHome string) string {
	var text strings.Builder
	for _, file := range UnitFiles(m, u, configHome) {
		data, _ := m.ReadFile(file)
		for _, line := range strings.Split(string(data), "\n") {
			if line = strings.TrimSpace(line); line != "" && line[0] != '#' && line[0] != ';' {
				text.WriteString(line + "\n")
			}
		}
	}
	return text.String()
}

func split(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == 0 })
}

// readStatus reads name, user and groups from /proc/PID/status.
func (p *Process) readStatus(text string) {
	for _, line := range strings.Split(text, "\n") {
		name, value, _ := strings.Cut(line, ":")
		fields := strings.Fields(value)
		switch {
		case name == "Name":
			p.Name = strings.TrimSpace(value)
		case (name == "Uid" || name == "Gid") && len(fields) > 1: // real, effective, saved, of the file system
			id, _ := strconv.ParseUint(fields[1], 10, 32)
			if name == "Uid" {
				p.User = uint32(id)
			} else {
				p.Groups = append(p.Groups, uint32(id))
			}
		case name == "Groups":
			for _, f := range fields {
				if id, err := strconv.ParseUint(f, 10, 32); err == nil && !slices.Contains(p.Groups, uint32(id)) {
					p.Groups = append(p.Groups, uint32(id))
				}
			}
		}
	}
}
