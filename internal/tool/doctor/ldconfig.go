package doctor

import (
	"path"
	"slices"
	"strings"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/tool/term"
)

// configuredPath returns the file of a library in the directories of the ldconfig(8) configuration; "": none.
func (e *exam) configuredPath(name string) string {
	for _, line := range e.configuration("/etc/ld.so.conf", 0) {
		if file := path.Join(line.directory, name); e.fits(file) {
			return file
		}
	}
	return ""
}

// maxIncludes is the maximum depth of include lines that ldconfig's configuration is read to.
const maxIncludes = 4

// searchLine is a line of ldconfig's configuration with a directory.
type searchLine struct {
	at        FileLine
	directory string
}

// configuration returns the directories in a file of ldconfig(8), and in the files that its include lines name.
func (e *exam) configuration(file string, depth int) (lines []searchLine) {
	data, err := e.machine.ReadFile(file)
	if err != nil || depth > maxIncludes {
		return nil
	}
	for number, line := range strings.Split(string(data), "\n") {
		line, _, _ = strings.Cut(line, "#")
		words := strings.Fields(line)
		switch {
		case len(words) == 1 && path.IsAbs(words[0]):
			lines = append(lines, searchLine{FileLine{file, number + 1}, words[0]})
		case len(words) > 1 && words[0] == "include":
			for _, pattern := range words[1:] {
				if !path.IsAbs(pattern) {
					pattern = path.Join(path.Dir(file), pattern)
				}
				for _, name := range e.machine.Names(path.Dir(pattern)) {
					if is, err := path.Match(path.Base(pattern), name); is && err == nil {
						lines = append(lines, e.configuration(path.Dir(pattern)+"/"+name, depth+1)...)
					}
				}
			}
		}
	}
	return lines
}

// outdatedCache adds a finding if the dynamic linker's cache names libraries of a driver that are gone, as after an
// update without ldconfig. Source: void-linux/void-packages issue 32222.
func (e *exam) outdatedCache() {
	for m := range each(e.Drivers) {
		f := drivers.Of(m.Library)
		if !m.Good || f == nil || len(e.Sandboxes) > 0 {
			continue
		}
		stems := append(term.Words(f.RunTime, func(r drivers.RunTime) string { return r.Stem }), f.Libraries...)
		gone := e.linker.GoneFromCache(func(name string) bool {
			stem, _, _ := strings.Cut(name, ".so")
			return slices.Contains(stems, stem)
		})
		if gone != "" {
			e.add(LibraryCache, m.Name, cacheFile, textf("%s names %s, which does not exist", cacheFile, gone),
				e.system.by("ldconfig", nil).withObstacle(ofWriter))
			return
		}
	}
}

// cacheFile is the dynamic linker's cache of libraries.
const cacheFile = "/etc/ld.so.cache"
