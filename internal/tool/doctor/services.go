package doctor

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/process"
	"vkloader/internal/tool/term"
)

// useGPUs lists services and programs, by the beginning of their names, that compute or draw on a graphics device.
var useGPUs = []string{"ollama", "llama", "localai", "local-ai", "koboldcpp", "stable-diffusion", "comfyui", "whisper", "immich", "frigate",
	"jellyfin", "emby", "plex", "sunshine", "kodi", "cage", "weston", "gamescope", "sway", "kiosk", "greetd", "steam"}

// namesGPU lists texts in a unit file of a service that uses a graphics device.
var namesGPU = []string{"/dev/dri", "/dev/nvidia", "char-drm", "vulkan", "vk_", "supplementarygroups=render", "supplementarygroups=video"}

// serviceNeeds lists the libraries of programs that draw or compute on a graphics device.
var serviceNeeds = []string{"libvulkan.so", "libEGL.so", "libGL.so", "libgbm.so", "libwlroots", "libOpenCL.so", "libggml-vulkan"}

// joined is a user's membership in a group that the machine does not have yet.
type joined struct{ user, group uint32 }

// services returns the processes of services, which one examination of a machine reads once.
func (e *deviceExam) services() []process.SystemdService {
	if e.packages.services == nil {
		e.packages.services = append([]process.SystemdService{}, process.Services(e.machine)...)
	}
	return e.packages.services
}

// serviceUsers adds a finding for each running service that uses a graphics device and whose user can open none. With a
// user's name, it examines every service of that user.
func (e *deviceExam) serviceUsers(options *Options) {
	if e.containerKind() != "" || e.class != ProcessClass {
		return
	}
	var usable []*GPU
	closed := false
	for _, g := range e.gpus {
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
		member := slices.Concat(u.groups, joinedBy(options, s.User))
		if u.groups = slices.Concat(s.Groups, joinedBy(options, s.User)); options.User != "" && (e.user.id != s.User || e.refused(&e.user, usable) != "") {
			continue
		}
		node := e.refused(&u, usable)
		if node == "" || options.User == "" && !e.usesGPU(&s, usable) {
			continue
		}
		do := e.permissionCure(node, &u, []string{s.Unit})
		if member = slices.Concat(member, u.groups); e.refused(&user{id: u.id, groups: member, known: true}, usable) == "" {
			do = restart(s.Unit)
		}
		e.found(ServicePermission, s.Unit, node, said(forbidden, u.name, node), do)
	}
}

// restart returns advice to restart services, whose processes keep the groups that they were started with.
func restart(units ...string) told {
	command := "systemctl restart " + strings.Join(term.Words(units, func(unit string) string { return term.Quoted(unitName(unit)) }), " ")
	return asRoot(command).untried(outsideOnly)
}

// unitName returns a service's name for systemctl.
func unitName(unit string) string { return strings.TrimSuffix(unit, ".service") }

// unitsOf returns the running services of a user.
func (e *deviceExam) unitsOf(u *user) (units []string) {
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
func (e *deviceExam) addGroups(options *Options) {
	if options.User == "" || options.Groups != nil {
		return
	}
	for _, s := range e.services() {
		if s.User == e.user.id {
			e.user.groups = append(e.user.groups, s.Groups...)
		}
	}
	e.user.groups = append(e.user.groups, joinedBy(options, e.user.id)...)
}

// joinedBy returns the groups that a fix in trial gives to a user.
func joinedBy(options *Options, id uint32) (groups []uint32) {
	for _, j := range options.joined {
		if j.user == id {
			groups = append(groups, j.group)
		}
	}
	return groups
}

// open reports whether every user may read and write a file.
func (h host) open(file string) bool {
	_, _, mode, ok := h.owner(file)
	return !ok || mode&readWrite == readWrite
}

// refused returns the first node that keeps a user from all of some devices; "" if the user may use one of them.
func (e *deviceExam) refused(u *user, gpus []*GPU) (first string) {
	for _, g := range gpus {
		node := u.refused(e.host, g)
		if node == "" {
			return ""
		}
		if first == "" {
			first = node
		}
	}
	return first
}

// usesGPU reports whether a service is known to use a graphics device: by its name, its unit file, its groups, or the libraries
// of its program.
func (e *deviceExam) usesGPU(s *process.SystemdService, gpus []*GPU) bool {
	program := ""
	if len(s.Command) > 0 {
		program = s.Command[0]
	}
	for _, name := range []string{s.Unit, s.Name, path.Base(program)} {
		if slices.ContainsFunc(useGPUs, func(known string) bool { return strings.HasPrefix(strings.ToLower(name), known) }) {
			return true
		}
	}
	unit := strings.ToLower(process.UnitText(e.machine, process.Unit{Name: s.Unit}, ""))
	for line := range strings.SplitSeq(unit, "\n") {
		if !strings.HasPrefix(line, "inaccessiblepaths") && slices.ContainsFunc(namesGPU, func(text string) bool { return strings.Contains(line, text) }) {
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
		return slices.ContainsFunc(serviceNeeds, func(known string) bool { return strings.HasPrefix(library, known) })
	})
}
