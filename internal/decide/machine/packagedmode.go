package machine

import (
	"path"
	"regexp"
	"strings"
)

// Places that every distribution's packages install readable for every user: libraries, the directories and manifests
// of Vulkan, and the directories above them.
const (
	openDirectories = `^((/usr)?/lib(32|64|x32)?(/[^/]*-linux-[^/]*)?|/(usr|etc|usr/share|etc/xdg)(/vulkan(/[^/]*\.d)?)?)$`
	openFiles       = `^((/usr)?/lib(32|64|x32)?/.*\.so(\.[0-9.]+)?|/(usr/share|etc|etc/xdg)/vulkan/[^/]*\.d/[^/]*\.json)$`
)

// InstalledReadable reports whether a package installs a file, or a directory, readable for every user. A place whose
// mode Debian's dpkg-statoverride sets does not count. apk does not list who owns a directory.
func (m *Machine) InstalledReadable(place string, directory bool) bool {
	names := []string{place}
	if other := strings.TrimPrefix(place, "/usr"); strings.HasPrefix(other, "/lib") && other != place {
		if real, err := m.Real(path.Dir(other)); err == nil && real == path.Dir(place) {
			names = append(names, other) // /lib is a link to /usr/lib
		}
	}
	changed, _ := m.ReadLarge("/var/lib/dpkg/statoverride") // lines "USER GROUP MODE PATH"
	for _, name := range names {
		if strings.Contains(string(changed), " "+name+"\n") {
			return false
		}
	}
	form := openFiles
	if directory {
		form = openDirectories
		names = append(names, place+"/") // as pacman lists it
	}
	return regexp.MustCompile(form).MatchString(place) && len(m.Owners(names)) > 0
}
