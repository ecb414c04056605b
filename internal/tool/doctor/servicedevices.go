package doctor

import (
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/tool/term"
)

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

// keeps returns the setting that keeps a node from the service, its effect, and the lines of a drop-in that end this; "" for
// none.
func (c *confinement) keeps(node string) (setting, does string, lines []string) {
	hides := func(place string) bool {
		place = strings.TrimLeft(place, "-+")
		return place != "" && (node == place || strings.HasPrefix(node, strings.TrimSuffix(place, "/")+"/"))
	}
	class := node
	if strings.HasPrefix(node, "/dev/dri/") {
		class = "char-drm"
	}
	switch {
	case c.private:
		return "PrivateDevices=", "hides NODE from the service", []string{"PrivateDevices=no"}
	case slices.ContainsFunc(c.inaccessible, hides):
		lines = []string{"InaccessiblePaths="} // it clears the list
		if others := slices.DeleteFunc(slices.Clone(c.inaccessible), hides); len(others) > 0 {
			lines = append(lines, "InaccessiblePaths="+strings.Join(others, " "))
		}
		return "InaccessiblePaths=", "hides NODE from the service", lines
	case slices.Contains(c.allowed, node) || slices.Contains(c.allowed, class) || slices.Contains(c.allowed, "char-*"):
		return "", "", nil
	case c.policy == "closed" || c.policy == "strict":
		return "DevicePolicy=" + c.policy, "closes NODE to the service", []string{"DeviceAllow=" + class + " rw"}
	case len(c.allowed) > 0:
		return "DeviceAllow=", "closes NODE to the service", []string{"DeviceAllow=" + class + " rw"}
	}
	return "", "", nil
}

// dropIn is the text that a fix in trial adds to a unit.
type dropIn struct {
	unit  string
	lines string // joined by line breaks
}

// unitText returns the settings of a service's unit, with those of a fix in trial.
func (e *deviceExam) unitText(unit string, options *Options) string {
	text := process.UnitText(e.machine, process.Unit{Name: unit}, "")
	for _, d := range options.dropIns {
		if d.unit == unit {
			text += d.lines + "\n"
		}
	}
	return text
}

// serviceDevices adds a finding for each running service that uses a graphics device, whose unit keeps the device's node from it.
func (e *deviceExam) serviceDevices(options *Options) {
	if e.containerKind() != "" || e.class != ProcessClass {
		return
	}
	said := map[string]bool{}
	for _, s := range e.services() {
		c := confinementOf(e.unitText(s.Unit, options))
		for _, g := range e.gpus {
			for _, node := range g.Nodes {
				setting, does, lines := c.keeps(node)
				if setting == "" || said[s.Unit] || len(g.Drivers) == 0 || !e.expects(g) || !e.usesGPU(&s, e.gpus) {
					continue
				}
				said[s.Unit] = true
				e.found(ServiceDevices, s.Unit, node, sentence(setting+" "+strings.Replace(does, "NODE", node, 1)), e.opens(s.Unit, lines))
			}
		}
	}
}

// opens returns advice to add lines to a unit of the system.
func (e *deviceExam) opens(name string, lines []string) advice {
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
		return ofNixOS(`systemd.services."` + unitName(name) + `".serviceConfig.` + key + " = " + value + ";")
	}
	file, _, _ := strings.Cut(lines[0], "=")
	do := asRoot(u.dropIn(file, lines))
	do.effect = dropIn{name, strings.Join(lines, "\n")}
	return do
}

func (d dropIn) name() string { return "unit " + d.unit + " " + d.lines }

func (d dropIn) on(source *machine.Source, options *Options) (*machine.Source, Options, bool) {
	with := *options
	with.dropIns = append(slices.Clone(with.dropIns), d)
	return source, with, true
}
