package doctor

import (
	"path"
	"regexp"
	"strings"

	"vkloader/internal/core/search"
	"vkloader/internal/tool/term"
)

// template is a word that the build of a package should have replaced.
var template = regexp.MustCompile(`@[A-Za-z_]+@|%[A-Za-z_]+%|\{\{.*\}\}|\$\{[A-Za-z_]+\}|\$\([A-Za-z_]+\)`)

// placeholder returns a word in angle brackets; "" for none.
func placeholder(path string) string {
	if from := strings.IndexByte(path, '<'); from >= 0 {
		if to := strings.IndexByte(path[from:], '>'); to > 0 {
			return path[from : from+to+1]
		}
	}
	return ""
}

// linkerWords are the words with a dollar that the dynamic linker replaces in a path.
var linkerWords = strings.NewReplacer("${LIB}", "", "$LIB", "", "${ORIGIN}", "", "$ORIGIN", "", "${PLATFORM}", "", "$PLATFORM", "")

// wrongPath returns the reason why a library path in a manifest cannot be that of a library on this system; "" if it can.
func (h host) wrongPath(library string) string {
	plain := linkerWords.Replace(library)
	switch {
	case template.MatchString(plain):
		return term.Quoted(template.FindString(plain)) + " is a template that was not filled in"
	case placeholder(plain) != "":
		return term.Quoted(placeholder(plain)) + " is a template that was not filled in"
	case strings.HasPrefix(plain, "~") || strings.Contains(plain, "/~"):
		return "the loader does not replace ~ by a home directory"
	case strings.Contains(plain, "$"):
		return "the dynamic linker replaces $LIB, $ORIGIN and $PLATFORM, and no other variable"
	case strings.TrimSpace(library) != library:
		return "it begins or ends with a space"
	case strings.Contains(plain, `\`) && !strings.Contains(plain, "/") || len(plain) > 1 && plain[1] == ':' || strings.HasSuffix(strings.ToLower(plain), ".dll"):
		return "it is a path of Windows"
	case strings.HasSuffix(plain, ".dylib") || strings.Contains(plain, ".framework/"):
		return "it is a path of macOS"
	case strings.HasPrefix(plain, "/system/") || strings.HasPrefix(plain, "/vendor/lib"):
		return "it is a path of Android"
	case search.IsManifestName(plain):
		return "it names a manifest, not a library"
	case strings.Contains(plain, "://"):
		return "it is a URL, not a path"
	case strings.HasSuffix(plain, ".a") || strings.HasSuffix(plain, ".gz") || strings.HasSuffix(plain, ".xz") || strings.HasSuffix(plain, ".zip"):
		return "the dynamic linker loads only shared libraries"
	}
	if info, err := h.machine.Stat(plain); err == nil && info.IsDir() && strings.Contains(plain, "/") {
		return "it is a directory"
	}
	return ""
}

// asWritten returns a library's path without the manifest's directory, which the loader puts before a relative path.
func asWritten(library, manifest string) string {
	return strings.TrimPrefix(library, path.Dir(manifest)+"/")
}

// misnamed adds a finding for a library path that the manifest has wrong.
func (e *libraryExam) misnamed(m *Module, why string) {
	do := "Correct library_path in " + m.Manifest + ": " + why + "."
	if stem, _, is := strings.Cut(path.Base(m.Manifest), "_icd"); is && familyOf(m.Manifest) != nil {
		for _, name := range []string{"libvulkan_" + stem + ".so", "libGLX_" + stem + ".so.0"} {
			if r := e.linker.Find(name); r.File != nil && e.fits(r.File.Path) {
				do = "Write " + term.Quoted(r.File.Path) + " as library_path into " + m.Manifest + "."
			}
		}
	}
	if owner := e.packageOf(m.Manifest); owner != "" {
		do += " The file comes with the package " + owner + ": tell its maintainers, or install a newer release."
	}
	e.found(LibraryMissing, m.Name, m.Manifest, said("library_path is %q: %s", asWritten(m.Library, m.Manifest), why), advised(do))
}
