package loaderlog

import (
	"regexp"
	"strings"
)

// Log is what the loader itself said while a program ran with VK_LOADER_DEBUG=all. Its lines are interface: tools
// match on them (LOG-9, LOG-17, LOG-18, LAY-423 to LAY-427).
type Log struct {
	Manifests map[string][]string // kind of search ("driver", ...) to the files found, of the last such search
	Locations map[string][]string // the same for the places searched
	Chain     []Layer             // of the instance, from the program down
	Used      []Use               // one per created device
	Messages  []Message           // warnings and errors, each once
}

// Layer is one of the chain.
type Layer struct {
	Name      string `json:"name"`
	Implicit  bool   `json:"implicit"`
	EnabledBy string `json:"enabled_by"`
	Disable   string `json:"disable_variable,omitempty"`
	Manifest  string `json:"manifest"`
	Library   string `json:"library"`
}

// Use is a device that was created, and the library of its driver.
type Use struct {
	Device, Library string
}

// Message is a warning or an error.
type Message struct {
	Severity string `json:"severity"`
	Text     string `json:"text"`
}

var (
	logLine  = regexp.MustCompile(`^\[Vulkan Loader\] (ERROR|WARNING|INFO|DEBUG)?(?: \| )?(PERF|DRIVER|LAYER)?: `)
	usedLine = regexp.MustCompile(`^       Using "(.*)" with driver: "(.*)"$`)
)

// logColumn is where a line's body starts when its tag is not longer.
const logColumn = 32

// Body takes a line of the loader apart; its severity is "" when it only has a category.
func Body(line string) (severity, body string, ok bool) {
	tag := logLine.FindStringSubmatch(line)
	if tag == nil {
		return "", "", false
	}
	// The tag is padded to a fixed column, and never cut; further spaces belong to the body.
	return tag[1], line[min(len(line), max(logColumn, len(tag[0]))):], true
}

// Read takes apart what stands in a program's standard error.
func Read(text string) *Log {
	log := &Log{Manifests: map[string][]string{}, Locations: map[string][]string{}}
	seen := map[Message]bool{}
	kind, list := "", (map[string][]string)(nil)
	inChain := false
	for _, line := range strings.Split(text, "\n") {
		severity, body, ok := Body(line)
		if !ok {
			continue
		}
		if severity == "ERROR" || severity == "WARNING" {
			m := Message{strings.ToLower(severity), body}
			if !seen[m] {
				seen[m] = true
				log.Messages = append(log.Messages, m)
			}
		}
		if rest, ok := strings.CutPrefix(body, "Searching for "); ok && strings.HasSuffix(rest, " manifest files") {
			kind = strings.TrimSuffix(rest, " manifest files")
			log.Manifests[kind], log.Locations[kind], list = nil, nil, nil
			continue
		}
		switch {
		case body == "   In following locations:":
			list = log.Locations
		case body == "   Found the following files:":
			list = log.Manifests
		case list != nil && strings.HasPrefix(body, "      "):
			list[kind] = append(list[kind], body[6:])
		default:
			list = nil
		}
		if used := usedLine.FindStringSubmatch(body); used != nil {
			log.Used = append(log.Used, Use{used[1], used[2]})
		}
		switch {
		case body == "vkCreateInstance layer callstack setup to:":
			inChain, log.Chain = true, nil
		case body == "   <Drivers>":
			inChain = false
		case inChain:
			log.chainLine(body)
		}
	}
	return log
}

func (log *Log) chainLine(body string) {
	if name, ok := strings.CutPrefix(body, "   "); ok && !strings.HasPrefix(name, " ") {
		if name != "<Application>" && name != "<Loader>" {
			log.Chain = append(log.Chain, Layer{Name: name})
		}
		return
	}
	if len(log.Chain) == 0 {
		return
	}
	layer := &log.Chain[len(log.Chain)-1]
	key, value, _ := strings.Cut(strings.TrimSpace(body), ": ")
	value = strings.TrimSpace(value)
	switch key {
	case "Type":
		layer.Implicit = value == "Implicit"
	case "Enabled By":
		layer.EnabledBy = value
	case "Disable Env Var":
		layer.Disable = value
	case "Manifest":
		layer.Manifest = value
	case "Library":
		layer.Library = value
	}
}
