package ui

import (
	"context"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"vkloader/discover"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
)

// refusedNames are variables with which the dynamic linker, the C library, a shell or a language's runtime loads code or
// writes files. "*" stands for any characters. The page refuses them even from the user.
var refusedNames = []string{
	"LD_*", "DYLD_*", "_RLD*", "LIBPATH", "SHLIB_PATH", "GLIBC_TUNABLES", "MALLOC_*", "GCONV_PATH", "GETCONF_DIR", "LOCPATH", "NLSPATH",
	"HOSTALIASES", "LOCALDOMAIN", "RES_OPTIONS", "RESOLV_*", "TZDIR", "NIS_PATH", "TMPDIR", "PATH", "IFS", "ENV", "BASH_*", "SHELLOPTS", "PS4", "ZDOTDIR",
	"FPATH", "CDPATH", "PYTHON*", "PERL*", "RUBY*", "GEM_*", "NODE_*", "LUA_*", "TCL*", "PHP*", "GUILE_*", "JAVA_*", "_JAVA_*", "JDK_*",
	"CLASSPATH", "DOTNET_*", "CORECLR_*", "COMPLUS_*", "COREHOST_*", "MONO_*", "GODEBUG", "GOTRACEBACK", "GOCOVERDIR", "RUST_*", "R_*",
	"ASAN_*", "LSAN_*", "MSAN_*", "TSAN_*", "UBSAN_*", "SCUDO_*", "GCOV_*", "LLVM_PROFILE_FILE", "VALGRIND_*", "OPENSSL_*", "SSLKEYLOGFILE",
	"GIO_*", "GTK_*", "GDK_PIXBUF_*", "GST_*", "GI_TYPELIB_PATH", "GSETTINGS_*", "QT_*", "QML*", "KDE*", "XLOCALEDIR", "XERRORDB", "XCURSOR_PATH", "SDL_DYNAMIC_API",
	"SDL_*_LIBRARY", "DBUS_*", "HEAPPROFILE*", "CPUPROFILE*", "WINEDLL*", "WINELOADER", "WINEPREFIX", "WINESERVER", "MESA_SHADER_CACHE_DIR", "MESA_GLSL_CACHE_DIR",
}

// fileNames are variables that name a directory, a manifest, a loaded library or a written file, even without a slash in the
// value. "*" is as above.
var fileNames = []string{
	"LIBGL_*", "GBM_*", "EGL_*", "__EGL_*", "__GLX_*", "__GL_*", "MESA_*", "GALLIUM_*", "DRI_*_PATH", "LIBVA_*", "VDPAU_*", "OCL_*", "OPENCL_*", "CUDA_*", "NVIDIA_*", "ROC*", "HSA_*",
	"AMD_*", "RADV_*", "ANV_*", "INTEL_*", "ZINK_*", "DRIRC_CONFIGDIR", "XDG_*", "VK_*_FILENAMES", "VK_*_FILES", "VK_*PATH*",
	"VK_*FILE*", "VK_LOADER_SETTINGS*", "*_PATH", "*_DIR", "*_FILE", "*_LIBRARY", "*CONFIG*", "*LOG_FILE*", "*OUTPUT*",
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "PULSE_*",
}

// plainDRI is Mesa's device selection. It names no library and no file.
const plainDRI = "DRI_PRIME"

// fits reports whether a name matches one of the patterns in a list.
func fits(list []string, name string) bool {
	return slices.ContainsFunc(list, func(pattern string) bool {
		is, err := path.Match(pattern, strings.ToUpper(name))
		return is && err == nil
	})
}

// refusal returns the reason to refuse a variable; "" for an accepted one.
func refusal(name string) string {
	switch {
	case name == "" || strings.ContainsAny(name, "/ \x00"):
		return "it is not a valid name of a variable"
	case fits(refusedNames, name):
		return "it makes programs load code, or write files. Use a terminal: vkloader explain --env"
	}
	return ""
}

// foreign reports whether a variable names a library, a manifest or a directory outside the directories that elevated
// processes search. The user has to enter such a value, and a value with other separators of lists.
func foreign(m *machine.Machine, name, value string) bool {
	if value == "" || name == plainDRI && !strings.ContainsAny(value, "/\\") {
		return false
	}
	id, known := variables.Find(name)
	file := known && slices.Contains([]variables.ID{variables.DriverFiles, variables.ICDFilenames, variables.AddDriverFiles, variables.LayerPath,
		variables.AddLayerPath, variables.ImplicitLayerPath, variables.AddImplicitLayerPath, variables.Home, variables.ServiceDirectory}, id) || fits(fileNames, name)
	if !file && !strings.ContainsAny(value, "/\\") {
		return false
	}
	trusted := trustedDirectories(m)
	return slices.ContainsFunc(strings.Split(value, machine.ListSeparator), func(element string) bool {
		return strings.ContainsAny(element, ",;") || element != "" && !slices.ContainsFunc(trusted, func(directory string) bool {
			return path.Clean(element) == element && (element == directory || strings.HasPrefix(element, directory+"/"))
		})
	})
}

// trustedDirectories returns the directories that an elevated process searches. No variable changes them.
func trustedDirectories(m *machine.Machine) (list []string) {
	searched, err := discover.Paths(context.Background(), (*discover.Host)(decide.HostOf(&machine.Source{Machine: *m, Elevated: true})), discover.Program{})
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

// typed holds the variables that the user has entered on the page, as NAME=VALUE, and the confirmed loaders of programs. An address
// may use these values.
type typed struct {
	lock  sync.Mutex
	pairs map[string]bool
}

// maxTyped is the maximum number of recorded variables.
const maxTyped = 1000

// has reports whether the user has entered a variable or confirmed a loader.
func (t *typed) has(pair string) bool {
	if t == nil {
		return false
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.pairs[pair]
}

// add records variables or loaders.
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

// untyped is the error for an address with variables that the user has not entered.
type untyped struct{ pairs []string }

func (u *untyped) Error() string {
	return fmt.Sprintf("the address sets %s, which names files outside the directories of the system: confirm the variable to use it",
		strings.Join(u.pairs, " "))
}

// check returns an error for variables that the page refuses, or that the user has to confirm first.
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

// loaderToConfirm returns the loader of a program, if a child process would load this file, which the address has chosen together with
// the program, and the user has not confirmed it; else "". A loader that the system's configuration or a variable of vkloader ui finds needs no
// confirmation.
func (t *typed) loaderToConfirm(l *loaders.Loader, program string) string {
	if l == nil || l.File == "" || program == "" || slices.Contains([]string{"cache", "default", "system", "variable", "preload"}, l.Rule) || t.has(l.File) {
		return ""
	}
	return l.File
}

// loads returns an error if the picture's child process would load a program's own loader, and the user has not confirmed it.
func loads(q *Request, s *subject) error {
	before, err := explainedFor(q, q.Tool, s)
	if err != nil {
		return err
	}
	if file := q.typed.loaderToConfirm(before.Loader, s.App); file != "" {
		return fmt.Errorf("%s is this program's own loader: confirm it on the program's page before it is loaded", file)
	}
	return nil
}

// serveTyped records the variables and the loader in a form that the user has sent.
func (s *Server) serveTyped(w http.ResponseWriter, r *http.Request) {
	s.typed.add(strings.Fields(strings.Join(r.PostForm["env"], " ")))
	s.typed.add(r.PostForm["loader"])
	w.WriteHeader(http.StatusNoContent)
}

// subject is the program in the page's address.
type subject struct {
	App      string // its path; "": any program with default settings
	Env      []string
	Elevated bool
	PID      int
}

// subjectOf reads an address: the program's path or name after the page's name, or the form field app.
func subjectOf(r *Request) (*subject, error) {
	m := r.Tool.Machine()
	s := &subject{Elevated: r.Query.Get("elevated") != ""}
	s.PID, _ = strconv.Atoi(r.Query.Get("pid"))
	for _, text := range r.Query["env"] {
		s.Env = append(s.Env, strings.Fields(text)...)
	}
	if err := r.typed.check(&m, s.Env); err != nil {
		return nil, err
	}
	name := strings.TrimSpace(r.Query.Get("app"))
	if name == "" {
		name = r.Rest
		if strings.Contains(name, "/") {
			name = "/" + name
		}
	}
	if name == "" || s.PID != 0 {
		s.App = name
		return s, nil
	}
	var err error
	s.App, err = m.FindProgram(name)
	return s, err
}

// running returns an error if the subject's process has ended, or another program has its number.
func (s *subject) running() error {
	if s.PID == 0 {
		return nil
	}
	if !process.Here.Exists(s.PID) {
		return fmt.Errorf("process %d has ended", s.PID)
	}
	if p, err := process.Here.Look(s.PID); err == nil && s.App != "" && p.Program != "" && s.App != p.Program && s.App != p.Name && s.App != "/"+p.Name {
		return fmt.Errorf("process %d is now %s: the process of %s has ended", s.PID, p.Program, s.App)
	}
	return nil
}

// args returns the options of "explain" for the subject.
func (s *subject) args(args ...string) []string {
	switch {
	case s.PID != 0:
		args = append(args, "--pid", strconv.Itoa(s.PID))
	case s.App != "":
		args = append(args, "--app", s.App)
	}
	if s.Elevated && s.PID == 0 {
		args = append(args, "--elevated")
	}
	for _, v := range s.Env {
		args = append(args, "--env", v)
	}
	return args
}

// query returns the subject as the query of an address.
func (s *subject) query() url.Values {
	q := url.Values{}
	if s.PID != 0 {
		q.Set("pid", strconv.Itoa(s.PID))
	}
	if s.Elevated {
		q.Set("elevated", "1")
	}
	if len(s.Env) > 0 {
		q.Set("env", strings.Join(s.Env, " "))
	}
	return q
}

// Rest returns the subject's part of an address after the page's name.
func (s *subject) Rest() string { return strings.TrimPrefix(addressOf(s.App), "program/") }

// Plain returns a link to the subject without a change.
func (s *subject) Plain() template.URL { return link(s.Path(), s.query()) }

// link returns an address of the page with a query.
func link(path string, query url.Values) template.URL {
	if text := query.Encode(); text != "" {
		path += "?" + text
	}
	return template.URL("#/" + path)
}

// Path returns the subject's part of an address.
func (s *subject) Path() string { return addressOf(s.App) }
