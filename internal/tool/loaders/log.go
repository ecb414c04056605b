package loaders

import (
	"cmp"
	"strings"
)

// Log is what the loader itself said while a program ran.
type Log struct {
	Used     []LogUse     // one per created device
	Messages []LogMessage // warnings and errors, each once
}

// LogUse is a device that was created, and the library of its driver.
type LogUse struct {
	Device, Library string
}

// Severity of a line, in the words of the log in small letters; a line that only has a category has none.
type Severity string

// Severities.
const (
	LogError   Severity = "error"
	LogWarning Severity = "warning"
	LogInfo    Severity = "info"
	LogDebug   Severity = "debug"
	LogPlain   Severity = ""
)

// LogMessage is a warning or an error.
type LogMessage struct {
	Severity Severity `json:"severity"`
	Text     string   `json:"text"`
	Kind     LogKind  `json:"-"`
	Library  string   `json:"-"` // of the driver or layer that it is about; "": of none, or not known
}

// LogKind is what a line tells, for the few that the tool acts on.
type LogKind uint8

// Kinds of lines.
const (
	OtherLine       LogKind = iota
	DriverOpens             // DRV-019: a driver library is about to be opened
	LayerOpens              // LAY-277: a layer library is about to be opened
	LayerInserted           // LOG-20: it has become part of the chain
	DriverSkipped           // INS-075: a driver's vkCreateInstance has failed
	InstanceChained         // LOG-20: all layers of an instance are in place
	DevicesSorted           // the list of devices has its order
	DeviceChained           // LOG-20: all layers of a device are in place
	DeviceMade              // a device was created on a driver
	NoDevice                // no driver failed, and none has a device
	Unloads                 // a library is about to be closed
)

// LogLine is a line of the loader, taken apart.
type LogLine struct {
	Severity Severity
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

// severityOf is the severity that a word of a tag stands for.
func severityOf(word string) (s Severity, known bool) {
	switch word {
	case "ERROR", "WARNING", "INFO", "DEBUG":
		return Severity(strings.ToLower(word)), true
	}
	return LogPlain, false
}

func isCategory(word string) bool { return word == "PERF" || word == "DRIVER" || word == "LAYER" }

// textColumn is where a line's text starts when its tag is not longer (LOG-9).
const textColumn = 32

// ParseLog takes a line apart; false for a line that is not the loader's.
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
	out.tell()
	return out, true
}

// ReadLog takes apart what stands in a program's standard error. Warnings and errors that come right after a library was
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
	unloads        = "Unloading "
	quote          = `"`
)

// tell finds out what a line tells.
func (l *LogLine) tell() {
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
	} else if rest, is := strings.CutPrefix(l.Text, deviceBegins); is {
		// A device's name may have anything in it.
		if at := strings.LastIndex(rest, deviceDriver); at >= 0 {
			l.Kind, l.Name, l.Library = DeviceMade, rest[:at], strings.TrimSuffix(rest[at+len(deviceDriver):], quote)
		}
	} else {
		text := strings.TrimSpace(l.Text)
		for _, of := range []struct {
			begins string
			kind   LogKind
		}{{instanceLayers, InstanceChained}, {deviceLayers, DeviceChained}, {devicesSorted, DevicesSorted}, {unloads, Unloads}} {
			if strings.HasPrefix(text, of.begins) {
				l.Kind = of.kind
			}
		}
	}
}
