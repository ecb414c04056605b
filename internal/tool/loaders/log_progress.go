package loaders

import "strings"

// Phase is how far the loader had come in a program, by its last lines.
type Phase string

// Phases, in words that go on with "it stood there".
const (
	Unused       Phase = "before the program used the loader"
	Searches     Phase = "while the loader searched for drivers and layers"
	Opens        Phase = "while the loader opened "
	Creates      Phase = "while an instance was created"
	InstanceMade Phase = "after the layers of an instance were loaded"
	Listed       Phase = "after the devices were listed"
	DeviceInUse  Phase = "after a device was created, while the program used it"
	Closes       Phase = "while drivers and layers were unloaded"
)

// Progress follows the loader through a program by the lines of its log.
type Progress struct {
	Last   string   // the loader's last line, without its tag
	Phase  Phase    // Unused without any line
	Layers []string // names of those that were put into a chain, each once

	library string
}

// Line takes a line of the log.
func (p *Progress) Line(text string) {
	line, ok := ParseLog(text)
	if !ok {
		return
	}
	trimmed := strings.TrimSpace(line.Text)
	if trimmed == "" || strings.Trim(trimmed, "|") == "" {
		return
	}
	if p.Phase == "" {
		p.Phase = Searches
	}
	p.Last = trimmed
	switch line.Kind {
	case DriverOpens:
		p.Phase, p.library = Opens, "the driver "+line.Library
	case LayerOpens:
		p.Phase, p.library = Opens, "the layer "+line.Library
	case LayerInserted:
		p.Phase = Creates
		for _, name := range p.Layers {
			if name == line.Name {
				return
			}
		}
		p.Layers = append(p.Layers, line.Name)
	case InstanceChained:
		p.Phase = InstanceMade
	case DeviceChained, DeviceMade:
		p.Phase = DeviceInUse
	case DevicesSorted:
		p.Phase = Listed
	case Unloads:
		p.Phase = Closes
	default:
		if p.Phase == Opens { // the opening is over
			p.Phase = Searches
		}
	}
}

// Words are the phase in words.
func (p *Progress) Words() string {
	switch p.Phase {
	case "":
		return string(Unused)
	case Opens:
		return string(Opens) + p.library
	}
	return string(p.Phase)
}
