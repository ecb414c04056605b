package randomworlds

import (
	"path/filepath"
	"strings"
)

// resolved is where a path leads, as the system walks it: a link's target in its place, and ".." from there.
func (s *stated) resolved(path string) string {
	if len(s.links) == 0 {
		return filepath.Clean(path)
	}
	at := ""
	rest := strings.Split(path, "/")
	for steps := 0; len(rest) > 0 && steps < 5000; steps++ {
		part := rest[0]
		rest = rest[1:]
		switch part {
		case "", ".":
		case "..":
			at = at[:max(strings.LastIndex(at, "/"), 0)]
		default:
			at += "/" + part
			if target, ok := s.links[at]; ok {
				at, rest = "", append(strings.Split(target, "/"), rest...)
			}
		}
	}
	return at
}
