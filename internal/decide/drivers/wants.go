package drivers

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"vkloader/internal/decide/vk"
)

//go:embed wants.txt
var wantLines string

// Offer is the most that a driver will ever offer for a chip.
type Offer struct {
	Driver  string   // the family of Mesa's driver, or NVIDIA
	Release string   // the maker's last release for the chip; "": any
	API     string   // as "1.2"
	Lacks   []string // extensions
}

// Want has the requirements of a program on a device.
type Want struct {
	Name       string
	API        string   // the least version, as "1.3"; "": any
	Extensions []string // of the device
	Older      *Want    // an older release that wants less; nil: none

	key, older string
	match      []string
}

var wantsOnce struct {
	once  sync.Once
	list  []*Want
	wrong []string
}

// Wants returns the table of wants.txt, read at the first call.
func Wants() []*Want {
	wantsOnce.once.Do(func() { wantsOnce.list, wantsOnce.wrong = readWants(wantLines) })
	return wantsOnce.list
}

// readWants reads lines as wants.txt describes them, and returns those that it does not understand.
func readWants(text string) (list []*Want, wrong []string) {
	byKey := map[string]*Want{}
	for _, line := range strings.Split(text, "\n") {
		rest, is := strings.CutPrefix(line, "want ")
		columns := columnsOf(rest)
		switch {
		case line == "" || strings.HasPrefix(line, "#"):
		case !is || len(columns) != 7 || byKey[columns[0]] != nil || columns[1] == "" || columns[6] == "":
			wrong = append(wrong, line)
		default:
			w := &Want{key: columns[0], Name: columns[1], API: columns[2], older: columns[4],
				match: strings.Fields(columns[5])}
			for _, name := range strings.Fields(columns[3]) {
				w.Extensions = append(w.Extensions, "VK_"+name)
			}
			byKey[w.key], list = w, append(list, w)
		}
	}
	for _, w := range list {
		if w.Older = byKey[w.older]; w.older != "" && w.Older == nil {
			wrong = append(wrong, w.key+" names "+w.older)
		}
	}
	return list, wrong
}

// WantOf returns the requirements of the first known program, library or DLL in a list of names or paths; nil: none is
// known.
func WantOf(names ...string) *Want {
	for _, w := range Wants() {
		for _, name := range names {
			base := strings.ToLower(path.Base(strings.ReplaceAll(name, "\\", "/")))
			if base == w.key || slices.ContainsFunc(w.match, func(m string) bool {
				stem, open := strings.CutSuffix(m, "*")
				return base == m || open && strings.HasPrefix(base, stem)
			}) {
				return w
			}
		}
	}
	return nil
}

// Text returns the want in words: "Vulkan 1.3 and VK_KHR_maintenance5".
func (w *Want) Text() string {
	words := slices.Clone(w.Extensions)
	if w.API != "" {
		words = append([]string{"Vulkan " + w.API}, words...)
	}
	return and(words)
}

func and(words []string) string {
	if len(words) < 2 {
		return strings.Join(words, "")
	}
	return strings.Join(words[:len(words)-1], ", ") + " and " + words[len(words)-1]
}

// Unmet returns the first part of a want that a device with a version and extensions does not have; "": it has all.
func (w *Want) Unmet(api vk.Version, extensions []string) string {
	if least, err := vk.ParseVersion(w.API); err == nil && api < least {
		return "Vulkan " + w.API
	}
	for _, name := range w.Extensions {
		if !slices.Contains(extensions, name) {
			return name
		}
	}
	return ""
}

// lacking returns the first part of a want that the offer never meets; "": it meets all of it.
func (o *Offer) lacking(w *Want) string {
	if w.API != "" && older(o.API, w.API) {
		return "Vulkan " + w.API
	}
	for _, name := range w.Extensions {
		if slices.Contains(o.Lacks, name) {
			return name
		}
	}
	return ""
}

// older reports whether a version is older than another one of Vulkan.
func older(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }

// name returns the driver in words.
func (o *Offer) name() string {
	if o.Release != "" {
		return o.Driver + "'s last driver for it, " + o.Release + ","
	}
	return o.Driver
}

// Limit returns in a sentence why the chip's last drivers do not meet a want, and whether none ever will; "": they may.
func (c *Chip) Limit(w *Want) (text string, never bool) {
	if !c.HasVulkan() {
		return "no Vulkan driver exists for it", true
	}
	var unmet, met []string
	for i := range c.Offers {
		o := &c.Offers[i]
		lacks := o.lacking(w)
		switch {
		case lacks == "":
			met = append(met, o.name())
		case strings.HasPrefix(lacks, "Vulkan "):
			unmet = append(unmet, o.name()+" offers Vulkan "+o.API+", and not "+strings.TrimPrefix(lacks, "Vulkan "))
		default:
			unmet = append(unmet, o.name()+" never offers "+lacks)
		}
	}
	switch text = strings.Join(unmet, "; "); {
	case len(unmet) == 0:
		return "", false
	case len(met) > 0:
		return text + "; " + and(met) + " may", false
	}
	return text + ": no driver for it will ever meet this", true
}

// Instead returns the newest older release of a program that the chip's last drivers can meet; nil: none.
func (c *Chip) Instead(w *Want) *Want {
	for w = w.Older; w != nil; w = w.Older {
		if _, never := c.Limit(w); !never {
			return w
		}
	}
	return nil
}
