package search

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
)

// Platform describes the search of a system: its locations in order, and the differences in reading variables and
// paths. It is data, with functions for locations that only one system has, so a program that uses one platform
// contains only the code of that platform.
type Platform struct {
	manifest.System
	Steps    []Step                                     // of a search that no variable replaces, in order
	Settings func(p *Platform, f *facts.Store) []string // returns the possible paths of the settings file, in order
	// determines which variables are ignored; nil: secure_getenv does
	Rights   func(p *Platform, f *facts.Store) []Message
	Pathless bool // the system cannot return a program's path (FUC-005)
	Mixed    bool // a directory may have manifests of both kinds
	Sources  bool // registry keys name the files, so the log names the keys
	Linux    bool // has Linux's graphics devices and the driver service

	// Values for the steps that add directories.
	SysConfDir      string // the build's system configuration directory (PATH-4)
	ExtraSysConfDir string // searched directly after it; "": none
	ConfigDirs      string // fallback of XDG_CONFIG_DIRS
	DataDirs        string // fallback of XDG_DATA_DIRS
}

// Step is one step of a search. It adds locations.
type Step func(b *Builder)

// Builder is a search in progress.
type Builder struct {
	Locations
	Platform *Platform
	Kind     Kind
	Facts    *facts.Store
}

// Message is a message of a search: a log line, a finding, or both.
type Message struct {
	Flags         uint32 // 0: not logged
	Code          diag.Code
	Cause         diag.Cause
	Subject, Path string
	Detail        string // of the cause
	Text          string // the line; "": the finding has no line
}

func (b *Builder) say(flags uint32, code diag.Code, subject, path, text string) {
	b.Said = append(b.Said, Message{Flags: flags, Code: code, Subject: subject, Path: path, Text: text})
}

// Add adds the directories of a variable's list, with the kind's subdirectory.
func (b *Builder) Add(list, from string) { b.add(list, kinds[b.Kind].suffix, from) }

// AddOne adds one directory, with the kind's subdirectory.
func (b *Builder) AddOne(path, from string) { b.addOne(path, kinds[b.Kind].suffix, from) }

// End ends the search after this step.
func (b *Builder) End() { b.last = true }

// base adds the directories of a variable; if it is empty, the one under the home directory, or the fallback.
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

// ConfigHome adds the directory of XDG_CONFIG_HOME (PATH-1, PATH-4).
func ConfigHome(b *Builder) { b.base(variables.ConfigHome, "/.config", "") }

// ConfigDirs adds the directories of XDG_CONFIG_DIRS.
func ConfigDirs(b *Builder) { b.base(variables.ConfigDirs, "", b.Platform.ConfigDirs) }

// DataHome adds the directory of XDG_DATA_HOME.
func DataHome(b *Builder) { b.base(variables.DataHome, "/.local/share", "") }

// DataDirs adds the directories of XDG_DATA_DIRS.
func DataDirs(b *Builder) { b.base(variables.DataDirs, "", b.Platform.DataDirs) }

// SystemConfiguration adds the system configuration directories of the build.
func SystemConfiguration(b *Builder) {
	b.Add(b.Platform.SysConfDir, "default")
	b.Add(b.Platform.ExtraSysConfDir, "default")
}

// unixSteps returns the steps of Unix, the user's directories before the system's (PATH-1).
func unixSteps() []Step {
	return []Step{ConfigHome, ConfigDirs, SystemConfiguration, DataHome, DataDirs}
}

// Unix returns a platform that searches directories. extra is searched directly after sysConf. configDirs and dataDirs
// are used if their variables are empty. Every argument may be empty.
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

// Linux returns the platform of the library for Linux.
func Linux() Platform {
	p := Unix(linuxSysConfDir, linuxExtraDir, "/etc/xdg", "/usr/local/share:/usr/share")
	p.Surfaces = xSurfaces
	p.Linux = true
	return p
}

// xSurfaces are the window-system extensions of Linux (INS-008).
var xSurfaces = []string{"VK_KHR_xlib_surface", "VK_KHR_xcb_surface", "VK_KHR_wayland_surface",
	"VK_EXT_acquire_xlib_display"}
