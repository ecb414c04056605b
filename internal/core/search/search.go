package search

// Platform is what a system fixes about the search.
type Platform struct {
	SysConfDir      string // the build's system configuration directory (PATH-4)
	ExtraSysConfDir string // searched directly after it; "": none
	ConfigDirs      string // fallback of XDG_CONFIG_DIRS
	DataDirs        string // fallback of XDG_DATA_DIRS
}

// linuxSysConfDir and linuxExtraDir are set by the linker (-X vkloader/internal/core/search.linuxSysConfDir=...).
var (
	linuxSysConfDir = "/usr/local/etc"
	linuxExtraDir   = "/etc"
)

// Linux is the platform that the library was built for.
func Linux() Platform {
	return Platform{
		SysConfDir:      linuxSysConfDir,
		ExtraSysConfDir: linuxExtraDir,
		ConfigDirs:      "/etc/xdg",
		DataDirs:        "/usr/local/share:/usr/share",
	}
}
