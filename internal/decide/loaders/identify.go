package loaders

import (
	"bytes"
	"path"
	"regexp"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/machine"
)

// Name is the name under which programs load the loader on Linux.
const Name = "libvulkan.so.1"

// Loader is a file that is a Vulkan loader.
type Loader struct {
	Path string `json:"path"` // as the dynamic linker finds it
	File string `json:"file"` // without symbolic links
	// of the Vulkan headers it was made for, as 1.3.239; "" when nothing tells
	Version string `json:"version,omitempty"`
	// the source of the version: name, package, text, the resources of a DLL, or the answer in a probe
	From           string `json:"version_from,omitempty"`
	Release        string `json:"release,omitempty"`         // of vkloader; "" for another loader
	Package        string `json:"package,omitempty"`         // the package that owns the file
	PackageVersion string `json:"package_version,omitempty"` // its version
	System         string `json:"system,omitempty"`          // the distribution whose package it is
	Rule           string `json:"rule,omitempty"`            // why the program gets it
	// OpensItself: only if the program opens the loader itself
	Static StaticUse `json:"-"`
	// the loader is linked into the program; File is the program's
	Inside        bool `json:"-"`
	rule          binary.Rule
	texts         map[string]bool // by constant: whether the file has it; nil: the file does not say
	configuration string          // its compiled-in directory of configuration files; "": the file does not say
}

// What tells a version.
const (
	FromName    = "name"
	FromPackage = "package"
	FromText    = "text"
	FromAnswer  = "answer" // of vkEnumerateInstanceVersion, in a probe

	FromResources = "resources" // of a DLL
)

// Where a version is written. They are compiled when a file is read, because package discover does nothing at import.
const (
	inName    = `^libvulkan\.so\.([0-9]+\.[0-9]+\.[0-9]+)$`
	inPackage = `^(?:[0-9]+:)?([0-9]+\.[0-9]+\.[0-9]+)`
	inText    = `Vulkan Loader Version ([0-9]+\.[0-9]+\.[0-9]+)`
)

// Identify identifies the loader in a file, by the dynamic linker's path of it.
func Identify(m *machine.Machine, name string) *Loader {
	l := &Loader{Path: name, File: name}
	if real, err := m.Real(name); err == nil {
		l.File = real
	}
	data, err := m.ReadLarge(l.File)
	if err == nil {
		l.Release = binary.Release(bytes.NewReader(data))
		if !l.Ours() && !l.read(binary.Constants(data)) {
			l.read(data)
		}
	}
	if owner, known := ownerOf(m, l.File, !l.Ours()); known {
		l.Package, l.PackageVersion, l.System = owner.Name, owner.Version, systemName(m)
	}
	for _, from := range []string{FromName, FromPackage, FromText} {
		version := ""
		switch from {
		case FromName:
			version = first(inName, []byte(path.Base(l.File)))
		case FromPackage:
			if strings.Contains(l.Package, "vulkan") {
				version = first(inPackage, []byte(l.PackageVersion))
			}
		case FromText:
			version = first(inText, data)
		}
		if version != "" {
			l.Version, l.From = version, from
			break
		}
	}
	return l
}

func first(form string, text []byte) string {
	if found := regexp.MustCompile(form).FindSubmatch(text); found != nil {
		return string(found[1])
	}
	return ""
}

// read looks for the constants of the features in data, and returns whether data is a loader's. Every loader contains
// the names of two variables, VK_ICD_FILENAMES and VK_INSTANCE_LAYERS.
func (l *Loader) read(data []byte) bool {
	marks := []string{variables.ICDFilenames.Name(), variables.InstanceLayers.Name()}
	rows := table()
	for i := range rows {
		if mark := rows[i].Mark(); mark != "" {
			marks = append(marks, mark)
		}
	}
	has := constants(data, marks)
	if !has[marks[0]] || !has[marks[1]] {
		return false
	}
	l.texts = map[string]bool{}
	for _, mark := range marks[2:] {
		l.texts[mark] = has[mark]
	}
	l.configuration = configurationIn(data)
	return true
}

// configurationIn returns the compiled-in directory of configuration files (PATH-3) in a loader's constants; "": none
// is among them.
func configurationIn(data []byte) (directory string) {
	for text := range bytes.SplitSeq(data, []byte{0}) {
		switch is := string(text); {
		case is == common:
			directory = common
		// of data, or a list
		case is == "/usr/share", is == "/usr/local/share", !path.IsAbs(is), strings.Contains(is, ":"):
		case strings.HasSuffix(is, common), strings.HasSuffix(is, "/share"):
			return is
		}
	}
	return directory
}

// common is the directory that every loader searches, after its own one (PATH-4).
const common = "/etc"

// Configuration returns the loader's compiled-in directories of configuration files; "" for the first: they are
// unknown.
func (l *Loader) Configuration() (directory, extra string) {
	if l.configuration == common {
		return common, ""
	}
	return l.configuration, common
}

// constants reports which texts are in data, each followed by a zero byte. One pass finds all of them, by their last
// bytes.
func constants(data []byte, texts []string) map[string]bool {
	has := map[string]bool{}
	var ending [256][]string
	for _, text := range texts {
		last := text[len(text)-1]
		ending[last] = append(ending[last], text)
	}
	for end := 1; end < len(data); end++ {
		if data[end] != 0 {
			continue
		}
		for _, text := range ending[data[end-1]] {
			if end >= len(text) && string(data[end-len(text):end]) == text {
				has[text] = true
			}
		}
	}
	return has
}

// Ours reports whether it is a loader of this project.
func (l *Loader) Ours() bool { return l.Release != "" }

// Support reports whether a loader has a feature.
type Support uint8

// Answers.
const (
	Unknown Support = iota
	Yes
	No
)

// Has reports whether the loader has a feature; a feature outside the tables is Yes.
func (l *Loader) Has(name string) Support {
	f := Named(name)
	switch {
	case f == nil || l.Ours():
		return Yes
	case f.Ours:
		return No
	}
	if has, known := l.texts[f.Mark()]; known {
		if has {
			return Yes
		}
		return No
	}
	newer := func(version string) bool {
		return version != "" && binary.CompareVersions(l.Version, version) >= 0
	}
	switch {
	case l.Version == "":
		return Unknown
	case f.Since != "" && newer(f.Since), newer(f.With):
		return Yes
	case f.Since != "", f.Without != "" && binary.CompareVersions(l.Version, f.Without) <= 0:
		return No
	}
	return Unknown
}
