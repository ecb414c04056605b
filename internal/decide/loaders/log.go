package loaders

import (
	"cmp"
	"slices"
	"strings"
	"time"
)

// Log is the loader's log of a program's run.
type Log struct {
	Chain    []string     // the layers that were put into the chain, from the program down
	Used     []LogUse     // one per created device
	Messages []LogMessage // warnings and errors, each once
}

// LogUse is a device that was created, and the library of its driver.
type LogUse struct {
	Device, Library string
}

// LogSeverity of a line, in the words of the log in small letters; a line that only has a category has none.
type LogSeverity string

// Severities.
const (
	LogError   LogSeverity = "error"
	LogWarning LogSeverity = "warning"
	LogInfo    LogSeverity = "info"
	LogDebug   LogSeverity = "debug"
	LogPlain   LogSeverity = ""
)

// LogMessage is a warning or an error.
type LogMessage struct {
	Severity LogSeverity `json:"severity"`
	Text     string      `json:"text"`
	Kind     LogKind     `json:"-"`
	Library  string      `json:"-"` // of the driver or layer that it is about; "": of none, or not known
}

// LogKind is the subject of a line, for the few that the tool acts on.
type LogKind uint8

// Kinds of lines.
const (
	OtherLine       LogKind = iota
	DriverOpens             // DRV-019: a driver library is about to be opened
	LayerOpens              // LAY-277: a layer library is about to be opened
	LayerInserted           // LOG-20: it has become part of the chain
	DriverSkipped           // INS-075: a driver's vkCreateInstance has failed
	InstanceChained         // LOG-20: all layers of an instance are in place
	DevicesSorted           // the list of devices is sorted
	DeviceChained           // LOG-20: all layers of a device are in place
	DeviceMade              // a device was created on a driver
	NoDevice                // no driver failed, and none has a device
	Unloads                 // a library is about to be closed
	Refused                 // WIN-073: the system has not opened a library
)

// LogLine holds the parts of a line of the loader.
type LogLine struct {
	Severity LogSeverity
	Text     string // without the tag
	Kind     LogKind
	Name     string // of the layer or device
	Library  string // of the driver or layer
}

// LogMark is how every line of the loader's log begins (LOG-9).
const LogMark = "[Vulkan Loader] "

// Parts of a tag (LOG-9): a severity, a category, or both.
const (
	separator = " | "
	tagEnd    = ":"
)

// severityOf returns the severity for a word of a tag.
func severityOf(word string) (s LogSeverity, known bool) {
	switch word {
	case "ERROR", "WARNING", "INFO", "DEBUG":
		return LogSeverity(strings.ToLower(word)), true
	}
	return LogPlain, false
}

func isCategory(word string) bool { return word == "PERF" || word == "DRIVER" || word == "LAYER" }

// textColumn is the column of a line's text, unless the tag is longer (LOG-9).
const textColumn = 32

// ParseLog parses a line; false: the line is not the loader's.
func ParseLog(line string) (LogLine, bool) {
	rest, ours := strings.CutPrefix(line, LogMark)
	tag, _, ended := strings.Cut(rest, tagEnd)
	if !ours || !ended {
		return LogLine{}, false
	}
	first, second, both := strings.Cut(tag, separator)
	severity, known := severityOf(first)
	if both && !(known && isCategory(second)) || !both && !known && !isCategory(first) && tag != "" {
		return LogLine{}, false
	}
	// The tag is padded to a fixed column, and never cut; further spaces belong to the text.
	start := max(textColumn, len(LogMark)+len(tag)+len(tagEnd)+1)
	out := LogLine{Severity: severity, Text: line[min(len(line), start):]}
	out.classify()
	return out, true
}

// ReadLog parses a program's standard error. Warnings and errors that come right after a library was
// about to be opened are about that library.
func ReadLog(text string) *Log {
	log := &Log{}
	seen := map[LogMessage]bool{}
	opened := ""
	for _, raw := range strings.Split(text, "\n") {
		line, ok := ParseLog(raw)
		if !ok {
			continue
		}
		if line.Severity == LogError || line.Severity == LogWarning {
			m := LogMessage{line.Severity, line.Text, line.Kind, cmp.Or(line.Library, opened)}
			if !seen[m] {
				seen[m] = true
				log.Messages = append(log.Messages, m)
			}
			continue
		}
		opened = ""
		switch line.Kind {
		case DriverOpens, LayerOpens:
			opened = line.Library
		case LayerInserted: // the layer next to the drivers comes first
			log.Chain = slices.Insert(log.Chain, 0, line.Name)
		case DeviceMade:
			log.Used = append(log.Used, LogUse{line.Name, line.Library})
		}
	}
	return log
}

// The texts of the lines that the tool acts on, or how they begin and end.
const (
	driverOpens    = "Searching for ICD drivers named "
	layerOpens     = "Loading layer library "
	layerBegins    = `Insert instance layer "`
	skipBegins     = "terminator_CreateInstance: Received return code "
	skipDriver     = " from call to vkCreateInstance in ICD "
	skipEnds       = ". Skipping this driver."
	instanceLayers = "vkCreateInstance layer callstack"
	deviceLayers   = "vkCreateDevice layer callstack"
	devicesSorted  = "linux_read_sorted_physical_devices"
	deviceBegins   = `       Using "`
	deviceDriver   = `" with driver: "`
	noDevice       = "setup_loader_term_phys_devs:  Failed to detect any valid GPUs in the current config"
	noDeviceOlder  = "setupLoaderTermPhysDevs:  Failed to detect any valid GPUs in the current config" // of 1.2
	noDrivers      = "vkCreateInstance: Found no drivers!"
	unloads        = "Unloading "
	refuseBegins   = `Failed to open dynamic library "`
	quote          = `"`
)

// classify sets the kind of a line, and the name and library that it mentions.
func (l *LogLine) classify() {
	if l.Text == noDevice || l.Text == noDeviceOlder {
		l.Kind = NoDevice
	} else if library, is := strings.CutPrefix(l.Text, driverOpens); is {
		l.Kind, l.Library = DriverOpens, library
	} else if library, is := strings.CutPrefix(l.Text, layerOpens); is {
		l.Kind, l.Library = LayerOpens, library
	} else if rest, is := strings.CutPrefix(l.Text, layerBegins); is {
		l.Kind = LayerInserted
		l.Name, _, _ = strings.Cut(rest, quote)
	} else if rest, is := strings.CutPrefix(l.Text, skipBegins); is {
		if _, library, is := strings.Cut(rest, skipDriver); is {
			l.Kind, l.Library = DriverSkipped, strings.TrimSuffix(library, skipEnds)
		}
	} else if rest, is := strings.CutPrefix(l.Text, refuseBegins); is {
		if end := strings.LastIndex(rest, quote); end >= 0 {
			l.Kind, l.Library = Refused, rest[:end]
		}
	} else if rest, is := strings.CutPrefix(l.Text, deviceBegins); is {
		// A device's name may contain the separator, too: the last one counts.
		if at := strings.LastIndex(rest, deviceDriver); at >= 0 {
			l.Kind, l.Name, l.Library = DeviceMade, rest[:at], strings.TrimSuffix(rest[at+len(deviceDriver):], quote)
		}
	} else {
		text := strings.TrimSpace(l.Text)
		for _, of := range []struct {
			begins string
			kind   LogKind
		}{{instanceLayers, InstanceChained}, {deviceLayers, DeviceChained}, {devicesSorted, DevicesSorted},
			{unloads, Unloads}} {
			if strings.HasPrefix(text, of.begins) {
				l.Kind = of.kind
			}
		}
	}
}

// olderColumn is the column of the text in loaders without the mark.
const olderColumn = 18

// OlderLog returns the log of an older loader, whose lines begin with the tag, in the form of LOG-9. Lines of other
// origin are unchanged: a loader that pads its tags pads each.
func OlderLog(text string) string {
	lines := strings.Split(text, "\n")
	pads := slices.ContainsFunc(lines, func(line string) bool {
		_, _, pad := olderLine(line)
		return pad > 1
	})
	for i, line := range lines {
		tag, text, pad := olderLine(line)
		if tag == "" || pads && pad == 0 {
			continue
		}
		start := LogMark + tag + tagEnd + " "
		if pad := textColumn - len(start); pad > 0 {
			start += strings.Repeat(" ", pad)
		}
		lines[i] = start + text
	}
	return strings.Join(lines, "\n")
}

// olderLine returns the tag and text of an older loader's line, and the width of the tag's padding, 0 for an unpadded
// tag; "": the line is another one.
func olderLine(line string) (tag, text string, pad int) {
	tag, rest, ended := strings.Cut(line, tagEnd)
	first, second, both := strings.Cut(tag, separator)
	_, severity := severityOf(first)
	if !ended || !severity && !isCategory(first) || both && !isCategory(second) {
		return "", "", 0
	}
	pad = max(1, olderColumn-len(tag)-len(tagEnd))
	text, padded := strings.CutPrefix(rest, strings.Repeat(" ", pad))
	if !padded {
		text, pad = strings.TrimPrefix(rest, " "), 0
	}
	if both && !severity { // two categories
		tag = first
	}
	return tag, text, pad
}

// LogTimes measures in the loader's log how long each driver and layer took to open. The loader writes one line before
// each opening and another one after it, in the same call, so no time contains the program's own.
type LogTimes struct {
	began  time.Time
	Seen   bool          // a line of the loader was read
	Loaded time.Duration // time until the first line
	Opened []*LibraryOpenings
	open   *LibraryOpenings // the opening in progress; nil: none
	since  time.Time
}

// LibraryOpenings has the openings of one library: their number, and the duration of the first one and of all together.
type LibraryOpenings struct {
	Kind, Name, Library string
	Times               int
	First, Total        time.Duration
}

// NewLogTimes returns the times of a program that was started at a moment.
func NewLogTimes(began time.Time) *LogTimes { return &LogTimes{began: began} }

// Line reads a line of the log that was written at a time.
func (t *LogTimes) Line(text string, at time.Time) {
	line, ok := ParseLog(text)
	if !ok {
		return
	}
	if !t.Seen {
		t.Seen, t.Loaded = true, at.Sub(t.began)
	}
	if t.open != nil {
		spent := at.Sub(t.since)
		if t.open.Times == 0 {
			t.open.First = spent
		}
		t.open.Times++
		t.open.Total += spent
		if line.Kind == LayerInserted {
			t.open.Name = line.Name
		}
		t.open = nil
	}
	switch line.Kind {
	case DriverOpens:
		t.open, t.since = t.of("driver", line.Library), at
	case LayerOpens:
		t.open, t.since = t.of("layer", line.Library), at
	}
}

func (t *LogTimes) of(kind, library string) *LibraryOpenings {
	for _, o := range t.Opened {
		if o.Kind == kind && o.Library == library {
			return o
		}
	}
	o := &LibraryOpenings{Kind: kind, Library: library}
	t.Opened = append(t.Opened, o)
	return o
}

// Phase is the last known step of the loader in a program.
type Phase string

// Phases. They continue the sentence "it stood there".
const (
	Unused       Phase = "before the program used the loader"
	Searches     Phase = "while the loader searched for drivers and layers"
	Opens        Phase = "while the loader opened "
	Creates      Phase = "while an instance was created"
	InstanceMade Phase = "while an instance was created, or its devices were listed"
	Listed       Phase = "after the devices were listed"
	DeviceInUse  Phase = "while a device was created or used"
	Closes       Phase = "while drivers and layers were unloaded"
)

// Progress follows the loader through a program by the lines of its log.
type Progress struct {
	Last   string   // the loader's last line, without its tag
	Phase  Phase    // Unused without any line
	Layers []string // names of those that were put into a chain, each once
	Errors []string // the last different errors, three at most

	// the error about a missing or broken layer that an instance asks for; "": an instance was created without it
	Refused string
	// why the last instance has no device, though no driver failed; "": it may have one
	Deviceless string

	library string
	failed  bool // the loader wrote an error after it put the last instance's layers in place
}

// Line reads a line of the log.
func (p *Progress) Line(text string) {
	line, ok := ParseLog(text)
	if !ok {
		return
	}
	trimmed := strings.TrimSpace(line.Text)
	if trimmed == "" || isFrame(trimmed) {
		return
	}
	p.Phase = cmp.Or(p.Phase, Searches)
	p.failed = p.failed || line.Severity == LogError
	if line.Kind == NoDevice {
		p.Deviceless = "none of the program's drivers has a device"
	} else if trimmed == noDrivers {
		p.Deviceless = "the program gets no driver"
	}
	if p.Last = trimmed; line.Severity == LogError && !slices.Contains(p.Errors, trimmed) {
		p.Errors = append(p.Errors, trimmed)
		p.Errors = p.Errors[max(0, len(p.Errors)-3):]
		if strings.Contains(trimmed, lacksLayer) || BrokenLayer(trimmed) != "" {
			p.Refused = trimmed
		}
	}
	switch line.Kind {
	case DriverOpens:
		p.Phase, p.library = Opens, "the driver "+line.Library
	case LayerOpens:
		p.Phase, p.library = Opens, "the layer "+line.Library
	case LayerInserted:
		p.Phase = Creates
		if slices.Contains(p.Layers, line.Name) {
			return
		}
		p.Layers = append(p.Layers, line.Name)
	case InstanceChained:
		p.Phase, p.Refused, p.failed, p.Deviceless = InstanceMade, "", false, ""
	case DeviceChained, DeviceMade:
		p.Phase = DeviceInUse
	case DevicesSorted:
		p.Phase = Listed
	case Unloads:
		if made := p.Phase == InstanceMade && !p.failed; made || p.Phase == Listed || p.Phase == DeviceInUse {
			p.Phase = Closes
		} else if p.Phase == Opens {
			p.Phase = Searches
		}
	default:
		if p.Phase == Opens { // the opening is over
			p.Phase = Searches
		}
	}
}

// isFrame reports whether a line of a chain names no layer.
func isFrame(line string) bool {
	return strings.Trim(line, "|") == "" || strings.HasPrefix(line, "<") && strings.HasSuffix(line, ">")
}

// lacksLayer is a part of the loader's line about an instance that asks for a layer that is not installed.
const lacksLayer = "does not exist in the list of available layers"

// BrokenLayer returns the layer in the loader's error about a layer that a program asks for and that is not loaded; "":
// the line is another one.
func BrokenLayer(line string) string {
	rest, is := strings.CutPrefix(line, `Requested layer "`)
	if !is {
		return ""
	}
	name, _, _ := strings.Cut(rest, quote)
	return name
}

// MissingExtension returns the extension of a device or instance in the loader's error about one that a program enables
// and that is not there; "": the line is another one.
func MissingExtension(line string) (name string, ofDevice bool) {
	for _, kind := range []string{"Device", "Instance"} {
		_, rest, is := strings.Cut(line, kind+" extension ")
		if name, _, unsupported := strings.Cut(rest, " not supported"); is && unsupported {
			return name, kind == "Device"
		}
	}
	return "", false
}

// Words returns the phase in words.
func (p *Progress) Words() string {
	switch p.Phase {
	case "":
		return string(Unused)
	case Opens:
		return string(Opens) + p.library
	}
	return string(p.Phase)
}
