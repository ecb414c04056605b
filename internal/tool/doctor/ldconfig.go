package doctor

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/tool/term"
)

// strayEnds are the characters that separate directories in other lists, and belong to the name in ldconfig's.
const strayEnds = ";:,"

// configuredPath looks for a library in the directories of the ldconfig(8) configuration. wrong is the line that names
// the directory with a further character, such as ";", so that ldconfig does not find it; nil: the line is right.
func (e *exam) configuredPath(name string) (file string, wrong *searchLine) {
	lines := e.configuration("/etc/ld.so.conf", 0)
	for _, strays := range []string{"", strayEnds} {
		for line := range each(lines) {
			if strays != "" && strings.ContainsAny(line.directory, `@\&[*^$`) { // it becomes a part of sed's command
				continue
			}
			if file = strings.TrimRight(line.directory, strays) + "/" + name; e.fits(file) {
				return file, term.Either(strays == "", nil, line)
			}
		}
	}
	return "", nil
}

// searchLineCorrection returns advice to correct a line of ldconfig's configuration so that it names a directory. On
// Gentoo, env-update writes the lines of LDPATH in /etc/env.d.
func (e *exam) searchLineCorrection(wrong *searchLine, directory string) *Remedy {
	var sources []string
	for _, name := range e.machine.Names("/etc/env.d") {
		if has, _ := e.machine.Contains("/etc/env.d/"+name, wrong.directory); has {
			sources = append(sources, "/etc/env.d/"+name)
		}
	}
	args := with("at", wrong.at.String(), "wrong", wrong.directory, "file", wrong.at.File,
		"cut", strconv.Itoa(wrong.at.Number)+"s@["+strayEnds+"]*$@@",
		"change", "s@"+wrong.directory+"@"+directory+"@")
	args["sources"] = sources
	return e.system.by("search-line", args)
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
