package ui

import (
	"fmt"
	"net/http"
	"path"
	"slices"
	"strings"
	"sync"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/machine"
)

// refusedNames are variables by which the dynamic linker, the C library, a shell or a language's runtime loads code, or writes
// files; "*" stands for any characters. The page refuses them, also from a person.
var refusedNames = []string{
	"LD_*", "DYLD_*", "_RLD*", "LIBPATH", "SHLIB_PATH", "GLIBC_TUNABLES", "MALLOC_*", "GCONV_PATH", "GETCONF_DIR", "LOCPATH", "NLSPATH",
	"HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "RESOLV_*", "TZDIR", "NIS_PATH", "TMPDIR", "PATH", "IFS", "ENV", "BASH_*", "SHELLOPTS", "PS4", "ZDOTDIR",
	"FPATH", "CDPATH", "PYTHON*", "PERL*", "RUBY*", "GEM_*", "NODE_*", "LUA_*", "TCL*", "PHP*", "GUILE_*", "JAVA_*", "_JAVA_*", "JDK_*",
	"CLASSPATH", "DOTNET_*", "CORECLR_*", "COMPLUS_*", "COREHOST_*", "MONO_*", "GODEBUG", "GOTRACEBACK", "GOCOVERDIR", "RUST_*", "R_*",
	"ASAN_*", "LSAN_*", "MSAN_*", "TSAN_*", "UBSAN_*", "SCUDO_*", "GCOV_*", "LLVM_PROFILE_FILE", "VALGRIND_*", "OPENSSL_*", "SSLKEYLOGFILE",
	"GIO_*", "GTK_*", "GDK_PIXBUF_*", "GST_*", "GI_TYPELIB_PATH", "GSETTINGS_*", "QT_*", "QML*", "KDE*", "XLOCALEDIR", "XERRORDB", "XCURSOR_PATH", "SDL_DYNAMIC_API",
	"SDL_*_LIBRARY", "DBUS_*", "HEAPPROFILE*", "CPUPROFILE*", "WINEDLL*", "WINELOADER", "WINEPREFIX", "WINESERVER", "MESA_SHADER_CACHE_DIR", "MESA_GLSL_CACHE_DIR",
}

// fileNames are variables whose value names a directory, a manifest or a library that is loaded, or a file that is written, also
// without a slash in it; "*" as above.
var fileNames = []string{
	"LIBGL_*", "GBM_*", "EGL_*", "__EGL_*", "__GLX_*", "__GL_*", "MESA_*", "GALLIUM_*", "DRI_*_PATH", "LIBVA_*", "VDPAU_*", "OCL_*", "OPENCL_*", "CUDA_*", "NVIDIA_*", "ROC*", "HSA_*",
	"AMD_*", "RADV_*", "ANV_*", "INTEL_*", "ZINK_*", "DRIRC_CONFIGDIR", "XDG_*", "VK_*_FILENAMES", "VK_*_FILES", "VK_*PATH*",
	"VK_*FILE*", "VK_LOADER_SETTINGS*", "*_PATH", "*_DIR", "*_FILE", "*_LIBRARY", "*CONFIG*", "*LOG_FILE*", "*OUTPUT*",
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "PULSE_*",
}

// plainDRI is the choice of a device by Mesa: it has neither library nor file.
const plainDRI = "DRI_PRIME"

// fits reports whether a name is one of a list.
func fits(list []string, name string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		is, err := path.Match(pattern, strings.ToUpper(name))
		return is && err == nil
	})
}

// refusal returns the reason against a variable in words; "" for a variable without one.
func refusal(name string) string {
	switch {
	case name == "" || strings.ContainsAny(name, "/\x00"):
		return "it is no name of a variable"
	case fits(refusedNames, name):
		return "it makes programs load code, or write files. Use a terminal: vkloader explain --env"
	}
	return ""
}

// foreign reports whether a variable names a library, a manifest or a directory outside those that every search reads with raised
// rights: a person has to enter it.
func foreign(m *machine.Machine, name, value string) bool {
	if value == "" || name == plainDRI && !strings.ContainsAny(value, "/\\") {
		return false
	}
	id, known := variables.Named(name)
	file := known && slices.Contains([]variables.ID{variables.DriverFiles, variables.ICDFilenames, variables.AddDriverFiles, variables.LayerPath,
		variables.AddLayerPath, variables.ImplicitLayerPath, variables.AddImplicitLayerPath, variables.Home, variables.ServiceDirectory}, id) || fits(fileNames, name)
	if !file && !strings.ContainsAny(value, "/\\") {
		return false
	}
	trusted := trustedDirectories(m)
	return slices.ContainsFunc(strings.Split(value, machine.ListSeparator), func(element string) bool {
		return element != "" && !slices.ContainsFunc(trusted, func(directory string) bool {
			return path.Clean(element) == element && (element == directory || strings.HasPrefix(element, directory+"/"))
		})
	})
}

// trustedDirectories are the places that a process with raised rights searches: no variable names them.
func trustedDirectories(m *machine.Machine) (list []string) {
	searched, err := decide.PathsOf(&machine.Source{Machine: *m, Elevated: true})
	if err != nil {
		return nil
	}
	for _, place := range searched.Places {
		if path.IsAbs(place.Path) {
			list = append(list, path.Clean(place.Path))
		}
	}
	return list
}

// typed are the variables that a person has entered on the page, as NAME=VALUE. A value in an address counts when it is here.
type typed struct {
	lock  sync.Mutex
	pairs map[string]bool
}

// maxTyped is how many variables are remembered.
const maxTyped = 1000

// has reports whether a person has entered a variable.
func (t *typed) has(pair string) bool {
	if t == nil {
		return false
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.pairs[pair]
}

// add notes variables.
func (t *typed) add(pairs []string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.pairs == nil || len(t.pairs) > maxTyped {
		t.pairs = map[string]bool{}
	}
	for _, pair := range pairs[:min(len(pairs), maxTyped)] {
		t.pairs[pair] = true
	}
}

// untyped is the error of an address with variables that no person has entered.
type untyped struct{ pairs []string }

func (u *untyped) Error() string {
	return fmt.Sprintf("the address sets %s, which names files outside the directories of the system: nothing is decided with it until you confirm it",
		strings.Join(u.pairs, " "))
}

// check returns the error of variables that the page refuses, or that a person has to confirm first.
func (t *typed) check(m *machine.Machine, pairs []string) error {
	var open []string
	for _, pair := range pairs {
		name, value, _ := strings.Cut(pair, "=")
		if why := refusal(name); why != "" {
			return fmt.Errorf("the page refuses the variable %s: %s", name, why)
		}
		if foreign(m, name, value) && !t.has(pair) {
			open = append(open, pair)
		}
	}
	if open != nil {
		return &untyped{open}
	}
	return nil
}

// serveTyped remembers the variables of a form that a person has sent.
func (s *Server) serveTyped(w http.ResponseWriter, r *http.Request) {
	s.typed.add(strings.Fields(strings.Join(r.PostForm["env"], " ")))
	w.WriteHeader(http.StatusNoContent)
}
