package randomworlds

import (
	"path/filepath"
	"strings"
)

// resolved returns where a path leads, as the system resolves it: links are replaced by their targets, and ".." is
// relative to these.
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
