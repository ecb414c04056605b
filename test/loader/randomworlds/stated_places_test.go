package randomworlds

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// stated is the oracle by statements: it computes the expected observation of a world from the text of the statements alone, without the
// core. Comments have the ids of the statements for a case.
type stated struct {
	d          *description
	root       string
	exe        string
	files      map[string]string // by clean path, as a program sees them
	links      map[string]string // likewise
	env        map[string]string
	elevated   bool
	read       []string // of the call: opendir, fopen
	log        []string // of the call
	scripts    map[string][]string
	global     bool // the list is for global functions
	overridden bool // the search found an enabled override layer
	quiet      bool // the settings file disables lines that are compared
}

func newStated(w *worker, d *description) *stated {
	s := &stated{d: d, root: w.Root, exe: w.exe, files: map[string]string{}, links: map[string]string{}, env: w.environment(d), elevated: d.env["WORLD_ELEVATED"] == "1",
		scripts: maps.Clone(d.scripts)}
	for path, text := range d.files {
		s.files[filepath.Clean(w.fill.Replace(path))] = w.fill.Replace(text)
	}
	for path, target := range d.links {
		s.links[filepath.Clean(w.fill.Replace(path))] = w.fill.Replace(target)
	}
	return s
}

// say adds a line; its text is cut off after 511 bytes (LOG-10).
func (s *stated) say(line string) {
	tag, text, _ := strings.Cut(line, ": ")
	s.log = append(s.log, tag+": "+text[:min(len(text), 511)])
}

// seek returns the words after a statement of a fake's script, for each occurrence.
func (s *stated) seek(fake, statement string) (found [][]string) {
	for _, line := range slices.Concat(libraries[fake].lines, s.scripts[fake]) {
		if words := strings.Fields(line); words[0] == statement {
			found = append(found, words[1:])
		}
	}
	return found
}

// secure reads a variable that an elevated process ignores (GEN-5).
func (s *stated) secure(name string) (string, bool) {
	if s.elevated {
		return "", false
	}
	return s.plain(name)
}

func (s *stated) plain(name string) (string, bool) {
	text, ok := s.env[name]
	return text, ok
}

// number returns a variable's decimal integer prefix (ENV-91, ENV-108).
func (s *stated) number(name string) int {
	text, _ := s.plain(name)
	n := 0
	for _, c := range strings.TrimLeft(text, " ") {
		if c < '0' || c > '9' {
			break
		}
		n = n*10 + int(c-'0')
	}
	return n
}

// directory lists a directory (PATH-18).
func (s *stated) directory(path string) []string {
	s.read = append(s.read, "opendir "+path)
	var names []string
	clean := s.resolved(path)
	inside := func(file string) {
		if rest, ok := strings.CutPrefix(file, clean+"/"); ok {
			name, _, _ := strings.Cut(rest, "/")
			names = append(names, name)
		}
	}
	for file := range s.files {
		inside(file)
	}
	for link := range s.links {
		inside(link)
	}
	slices.Sort(names)
	names = slices.Compact(names)
	if s.env["WORLD_SORTED"] == "2" {
		slices.Reverse(names)
	}
	return names
}

func (s *stated) isDirectory(path string) bool {
	for file := range s.files {
		if strings.HasPrefix(file, s.resolved(path)+"/") {
			return true
		}
	}
	return false
}

// document returns a file that contains an object; others cause no message (LAY-10, SET-24).
func (s *stated) document(path string) *value {
	if v, ok := s.parsed(path); ok && v.kind == 'o' {
		return v
	}
	return nil
}

// parsed opens, reads and parses a file (LOG-19).
func (s *stated) parsed(path string) (v *value, ok bool) {
	if strings.HasSuffix(path, ".json") {
		s.read = append(s.read, "fopen "+path)
	}
	text, there := s.files[s.resolved(path)]
	if !there {
		if s.isDirectory(path) {
			s.say("ERROR: loader_get_json: Failed to read entire JSON file " + path)
		} else {
			if _, dangling := s.links[filepath.Clean(path)]; dangling { // PATH-19
				path = filepath.Base(path)
			}
			s.say("ERROR: loader_get_json: Failed to open JSON file " + path)
		}
		return nil, false
	}
	if v = parseJSON(text); v == nil {
		s.say("ERROR: loader_get_json: Invalid JSON file " + path + ".")
	}
	return v, v != nil
}

// elements returns the paths in a list separated by colons (PATH-6).
func elements(text string) (list []string) {
	for _, element := range strings.Split(text, ":") {
		if element != "" {
			list = append(list, element)
		}
	}
	return list
}

// bases returns the default locations (PATH-1, PATH-4, PATH-11 to PATH-14).
func (s *stated) bases() (list []string) {
	either := func(variable, home, otherwise string) {
		if text, _ := s.secure(variable); text != "" {
			list = append(list, elements(text)...)
		} else if at, set := s.secure("HOME"); home != "" && set {
			list = append(list, at+home)
		} else if home == "" {
			list = append(list, elements(otherwise)...)
		}
	}
	either("XDG_CONFIG_HOME", "/.config", "")
	either("XDG_CONFIG_DIRS", "", "/etc/xdg")
	list = append(list, "/usr/local/etc", "/etc")
	either("XDG_DATA_HOME", "/.local/share", "")
	either("XDG_DATA_DIRS", "", "/usr/local/share:/usr/share")
	return list
}

// places returns the locations of manifests of a kind: those of replacing variables, of the adding variable, and the default ones with
// their suffix (PATH-2, PATH-8, PATH-10, ENV-2 to ENV-10, ENV-26 to ENV-31).
func (s *stated) places(suffix, adding string, replacing ...string) (list []string) {
	for _, name := range replacing {
		if text, set := s.secure(name); set {
			return once(elements(text))
		}
	}
	text, _ := s.secure(adding)
	list = elements(text)
	for _, base := range s.bases() {
		switch {
		case strings.HasSuffix(base, ".json"):
		case strings.HasSuffix(base, "/"):
			base += "vulkan/" + suffix
		default:
			base += "/vulkan/" + suffix
		}
		list = append(list, base)
	}
	return once(list)
}

// manifests returns the files found in places (PATH-9, PATH-16, PATH-17, LOG-17).
func (s *stated) manifests(kind, tag string, places []string) (found []string) {
	places = slices.DeleteFunc(places, func(place string) bool { // PATH-21
		if !strings.HasSuffix(place, ".json") || len(place) <= 2047 {
			return false
		}
		s.say("DEBUG: add_data_files: Path to " + place + " too long")
		return true
	})
	s.say(tag + ": Searching for " + kind + " manifest files")
	s.say(tag + ":    In following locations:")
	for _, place := range places {
		s.say(tag + ":       " + place)
		if strings.HasSuffix(place, ".json") {
			found = append(found, place)
			continue
		}
		for _, name := range s.directory(place) {
			if strings.HasSuffix(name, ".json") {
				found = append(found, place+"/"+name)
			}
		}
	}
	if len(found) == 0 {
		s.say(tag + ":    Found no files")
		return nil
	}
	s.say(tag + ":    Found the following files:")
	for _, path := range found {
		s.say(tag + ":       " + path)
	}
	return found
}

// matches reports whether a filter variable matches a name (ENV-35 to ENV-44).
func (s *stated) matches(variable, name string) bool {
	text, _ := s.secure(variable)
	name = strings.ToLower(name)
	kept := 0
	for _, entry := range strings.Split(text, ",") {
		entry = strings.ToLower(entry)
		if entry == "" {
			continue
		}
		if kept++; kept > 16 {
			break
		}
		switch {
		case entry == "*" || entry == "**" || entry == "~all~":
			if len(name) >= len(entry) {
				return true
			}
		case entry[0] == '~':
		case len(entry) > 2 && entry[0] == '*' && entry[len(entry)-1] == '*':
			if strings.Contains(name, entry[1:len(entry)-1]) {
				return true
			}
		case entry[0] == '*':
			if strings.HasSuffix(name, entry[1:]) {
				return true
			}
		case entry[len(entry)-1] == '*':
			if strings.HasPrefix(name, entry[:len(entry)-1]) {
				return true
			}
		case entry == name:
			return true
		}
	}
	return false
}

// says reports whether one of the words is an entry of VK_LOADER_LAYERS_DISABLE (ENV-46).
func (s *stated) says(words ...string) bool {
	text, _ := s.secure("VK_LOADER_LAYERS_DISABLE")
	for _, entry := range strings.Split(text, ",") {
		if slices.Contains(words, strings.ToLower(entry)) {
			return true
		}
	}
	return false
}

// versionParts parses a version (LAY-24, DRV-029): variant, major, minor, patch.
func versionParts(text string) (parts [4]uint32) {
	pieces := strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(".\"\r\n", r) })
	at := 1
	if len(pieces) >= 4 {
		at = 0
	}
	for i := 0; at+i < 4 && i < len(pieces); i++ {
		for _, c := range pieces[i] {
			if c < '0' || c > '9' {
				break
			}
			parts[at+i] = parts[at+i]*10 + uint32(c-'0')
		}
	}
	return parts
}

func pack(p [4]uint32) uint32 { return p[0]<<29 | p[1]<<22 | p[2]<<12 | p[3] }

// minor returns the major and minor number of a version for comparison, without the variant (ENV-80).
func minor(version uint32) uint32 { return version >> 12 & 0x1ffff }

const (
	v1_0 = 1 << 10
	v1_1 = 1<<10 | 1
	v1_3 = 1<<10 | 3
)
