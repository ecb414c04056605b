package search

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
)

// Platform is what a system fixes about the search: which places are looked at in which order, and what differs in how
// variables and paths are read. It is data, with a function only where a system has places of its own kind: what calls
// one platform alone has the code of that one alone.
type Platform struct {
	manifest.System
	Steps    []Step                                     // of a search that no variable replaces, in order
	Settings func(p *Platform, f *facts.Store) []string // the places of the settings file, in the order they are tried
	Rights   func(p *Platform, f *facts.Store) []Said   // settles which variables count; nil: the system's own secure look-up does
	Pathless bool                                       // the system tells no program its path (FUC-005, BSD-005)
	Mixed    bool                                       // a directory may have manifests of both kinds
	Sources  bool                                       // files are named by keys, not found in directories: the log says by which
	Linux    bool                                       // there are Linux's graphics devices and the driver service

	// Of the steps for directories.
	SysConfDir      string // the build's system configuration directory (PATH-4)
	ExtraSysConfDir string // searched directly after it; "": none
	ConfigDirs      string // fallback of XDG_CONFIG_DIRS
	DataDirs        string // fallback of XDG_DATA_DIRS
}

// Step is one step of a search: it adds the places that it knows of.
type Step func(b *Builder)

// Builder is a search that is being put together.
type Builder struct {
	Locations
	Platform *Platform
	Kind     Kind
	Facts    *facts.Store
}

// Said is something to say: a log line, a finding, or both.
type Said struct {
	Flags         uint32 // 0: not logged
	Code          diag.Code
	Subject, Path string
	Text          string
}

func (b *Builder) say(flags uint32, code diag.Code, subject, path, text string) {
	b.Said = append(b.Said, Said{flags, code, subject, path, text})
}

// Add adds the directories of a list as variables have it, each with the kind's own below it.
func (b *Builder) Add(list, from string) { b.add(list, kinds[b.Kind].suffix, from) }

// AddOne adds one directory in the same way.
func (b *Builder) AddOne(path, from string) { b.addOne(path, kinds[b.Kind].suffix, from) }

// End ends the search: nothing after this step is searched.
func (b *Builder) End() { b.last = true }

// base adds a variable's directories, or one below the user's own, or the usual ones.
func (b *Builder) base(variable variables.ID, underHome, fallback string) {
	v := b.Facts.Variable(variable)
	if v.Value != "" {
		b.Add(v.Value, variable.Name())
		return
	}
	if underHome != "" {
		if home := b.Facts.Variable(variables.Home); home.Set {
			b.AddOne(home.Value+underHome, variables.Home.Name())
			return
		}
	}
	b.Add(fallback, "default")
}

// ConfigHome is a step of systems that have directories for everything, as the four after it are (PATH-1, PATH-4).
func ConfigHome(b *Builder) { b.base(variables.ConfigHome, "/.config", "") }

// ConfigDirs adds the directories of XDG_CONFIG_DIRS.
func ConfigDirs(b *Builder) { b.base(variables.ConfigDirs, "", b.Platform.ConfigDirs) }

// DataHome adds the directory of XDG_DATA_HOME.
func DataHome(b *Builder) { b.base(variables.DataHome, "/.local/share", "") }

// DataDirs adds the directories of XDG_DATA_DIRS.
func DataDirs(b *Builder) { b.base(variables.DataDirs, "", b.Platform.DataDirs) }

// SystemConfiguration adds the build's directories.
func SystemConfiguration(b *Builder) {
	b.Add(b.Platform.SysConfDir, "default")
	b.Add(b.Platform.ExtraSysConfDir, "default")
}

// unixSteps are the directories of Unix, user's before system's (PATH-1).
func unixSteps() []Step {
	return []Step{ConfigHome, ConfigDirs, SystemConfiguration, DataHome, DataDirs}
}

// Unix is a system that searches directories. extra is searched directly after sysConf; configDirs and dataDirs count
// where their variables say nothing. Any of them may be empty.
func Unix(sysConf, extra, configDirs, dataDirs string) Platform {
	return Platform{
		Steps:           unixSteps(),
		Settings:        unixSettings,
		SysConfDir:      sysConf,
		ExtraSysConfDir: extra,
		ConfigDirs:      configDirs,
		DataDirs:        dataDirs,
	}
}

// linuxSysConfDir and linuxExtraDir are set by the linker (-X vkloader/internal/core/search.linuxSysConfDir=...).
var (
	linuxSysConfDir = "/usr/local/etc"
	linuxExtraDir   = "/etc"
)

// Linux is the platform that the library for Linux is built for.
func Linux() Platform {
	p := Unix(linuxSysConfDir, linuxExtraDir, "/etc/xdg", "/usr/local/share:/usr/share")
	p.Surfaces = XSurfaces
	p.Linux = true
	return p
}

// XSurfaces are the window systems of Linux and the BSDs (INS-008, BSD-007).
var XSurfaces = []string{"VK_KHR_xlib_surface", "VK_KHR_xcb_surface", "VK_KHR_wayland_surface", "VK_EXT_acquire_xlib_display"}
