package spawn

import (
	_ "embed"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"

	"vkloader/internal/core/variables"
)

//go:embed environment.txt
var environmentTable string

// environment has the lists of environment.txt.
var environment struct {
	once  sync.Once
	lists map[string][]string
}

// namesOf returns a list of environment.txt: user, drivers or windows.
func namesOf(list string) []string {
	environment.once.Do(func() {
		environment.lists = map[string][]string{}
		for line := range strings.Lines(environmentTable) {
			if list, names, is := strings.Cut(line, ": "); is && line[0] != '#' {
				environment.lists[list] = append(environment.lists[list], strings.Fields(names)...)
			}
		}
	})
	return environment.lists[list]
}

// terminalNames lists what the tool itself reads about its terminal, for a process of another user.
var terminalNames = []string{"TERM", "COLORTERM", "NO_COLOR", "COLUMNS", "LINES"}

// Crosses reports whether a trial gets a variable.
func Crosses(name string) bool { return matches(name, namesOf("user")) || IsForDrivers(name) }

// IsForDrivers reports whether drivers, libraries or the dynamic linker read a variable, so that it can be the cause of
// a failure.
func IsForDrivers(name string) bool { return matches(name, namesOf("drivers")) }

// matches reports whether a name is in a list of names, each of which may end in *.
func matches(name string, list []string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		start, open := strings.CutSuffix(pattern, "*")
		text := name
		if runtime.GOOS == "windows" { // where case does not matter
			start, text = strings.ToUpper(start), strings.ToUpper(text)
		}
		return text == start || open && strings.HasPrefix(text, start)
	})
}

// added are the names of variables that the person gave on the command line.
var added struct {
	sync.Mutex
	names []string
}

// Add makes a variable cross that the person gave on the command line.
func Add(name string) {
	added.Lock()
	defer added.Unlock()
	if !slices.Contains(added.names, name) {
		added.names = append(added.names, name)
	}
}

// onlyNamed returns the variables of the list, and those with names in more.
func onlyNamed(environ, more []string) []string {
	added.Lock()
	more = append(slices.Clone(more), added.names...)
	added.Unlock()
	kept := []string{}
	for _, pair := range environ {
		name, _, _ := strings.Cut(pair, "=")
		if Crosses(name) || matches(name, more) || runtime.GOOS == "windows" && matches(name, namesOf("windows")) {
			kept = append(kept, pair)
		}
	}
	return kept
}

// LayerNames returns the patterns of the variables that a layer reads: those that enable and disable it, and, because
// layers name the variables of their settings after themselves, those that begin with a part of its name.
// VK_LAYER_ACME_frame_counter reads ACME_... and FRAME_COUNTER_....
func LayerNames(layer string, switches ...string) (patterns []string) {
	maker, rest, _ := strings.Cut(strings.ToUpper(strings.TrimPrefix(layer, "VK_LAYER_")), "_")
	for _, word := range []string{maker, rest} {
		if len(word) > 2 {
			patterns = append(patterns, word+"_*")
		}
	}
	for _, name := range switches {
		if name != "" {
			patterns = append(patterns, name, name+"_*")
		}
	}
	return patterns
}

// PathVariable names libraries, directories of libraries or settings that a process loads, or files that it writes.
type PathVariable struct {
	Name, Separators string // Separators are the characters between two paths in the value
}

// PathVariables lists the variables with paths for the dynamic linker, drivers and layers.
var PathVariables = []PathVariable{
	{"LD_LIBRARY_PATH", ":;"}, {"LD_PRELOAD", ": "}, {"LD_AUDIT", ":"}, {"GCONV_PATH", ":"}, {"LOCPATH", ":"},
	{"LIBGL_DRIVERS_PATH", ":,"}, {"GBM_BACKENDS_PATH", ":"}, {"LIBVA_DRIVERS_PATH", ":"}, {"VDPAU_DRIVER_PATH", ":"},
	{"__EGL_VENDOR_LIBRARY_DIRS", ":"}, {"__EGL_VENDOR_LIBRARY_FILENAMES", ":"},
	{"__EGL_EXTERNAL_PLATFORM_CONFIG_DIRS", ":"},
	{"__EGL_EXTERNAL_PLATFORM_CONFIG_FILENAMES", ":"}, {"OCL_ICD_VENDORS", ":"}, {"OCL_ICD_FILENAMES", ":"},
	{"OPENSSL_CONF", ""}, {"OPENSSL_MODULES", ""}, {"OPENSSL_ENGINES", ""}, {"GIO_EXTRA_MODULES", ":"},
	{"XLOCALEDIR", ":"},
	{"VK_LAYER_SETTINGS_PATH", ":"}, {"DRIRC_CONFIGDIR", ":"}, {"LD_DEBUG_OUTPUT", ""}, {"LD_PROFILE_OUTPUT", ""},
	{"MALLOC_TRACE", ""},
	{"MESA_LOG_FILE", ""}, {"MESA_SHADER_CACHE_DIR", ""}, {"MESA_GLSL_CACHE_DIR", ""},
	{"__GL_SHADER_DISK_CACHE_PATH", ""}, {"GALLIUM_LOG_FILE", ""},
}

// Paths returns the paths in a value.
func (v PathVariable) Paths(value string) []string {
	return strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(v.Separators, r) })
}

// manifestVariables name manifests and their directories.
var manifestVariables = []variables.ID{variables.DriverFiles, variables.ICDFilenames, variables.AddDriverFiles,
	variables.LayerPath, variables.AddLayerPath, variables.ImplicitLayerPath, variables.AddImplicitLayerPath}

// needsDirectory reports whether a variable, or the library, has a path below the working directory of this process,
// where the child must find it.
func (c *Child) needsDirectory() bool {
	relative := func(path string) bool { return path != "" && !filepath.IsAbs(path) && path[0] != '$' }
	slash := func(path string) bool { return strings.ContainsRune(path, filepath.Separator) && relative(path) }
	if slash(c.Library) {
		return true
	}
	for _, pair := range c.Env {
		name, value, _ := strings.Cut(pair, "=")
		if elements := strings.Split(strings.ReplaceAll(value, ";", ":"), ":"); name == "LD_LIBRARY_PATH" &&
			(HasEmptyPart(value) || slices.ContainsFunc(elements, relative)) {
			return true
		}
		for _, v := range manifestVariables {
			if v.Name() == name && slices.ContainsFunc(filepath.SplitList(value), relative) {
				return true
			}
		}
		for _, v := range PathVariables {
			if v.Name == name && slices.ContainsFunc(v.Paths(value), slash) {
				return true
			}
		}
	}
	return false
}

// HasEmptyPart reports whether a search path of the dynamic linker has an empty element, which is the working
// directory.
func HasEmptyPart(value string) bool {
	value = strings.ReplaceAll(value, ";", ":")
	return strings.HasPrefix(value, ":") || strings.HasSuffix(value, ":") || strings.Contains(value, "::")
}
