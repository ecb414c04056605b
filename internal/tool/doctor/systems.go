package doctor

import (
	_ "embed"
	"path"
	"regexp"
	"slices"
	"strings"
	"sync"

	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/term"
)

//go:embed systems.txt
var systemsTable string

// row is a row of systems.txt: how a kind of system does what a verb says.
type row struct {
	verb  string
	where []string
	how   string
	why   string // an obstacle, or and-restart
}

// rows returns the table. A row without reason may leave its last column out.
var rows = sync.OnceValue(func() (list []row) {
	for line := range strings.Lines(systemsTable) {
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		verb, rest, _ := strings.Cut(line, "|")
		where, rest, _ := strings.Cut(rest, "|")
		last := strings.LastIndexByte(rest, '|')
		if last < 0 {
			last = len(rest)
		}
		list = append(list, row{strings.TrimSpace(verb), strings.Fields(where), rest[:last],
			strings.Trim(rest[last:], "| ")})
	}
	return list
})

// conditions are the other words of the second column, besides package managers, IDs of os-release(5) and files.
var conditions = map[string]func(d *distribution) bool{
	"image":     func(d *distribution) bool { return isContainer(d.sandbox) && !d.kept },
	"plain":     func(d *distribution) bool { return d.sandbox == "" && d.image == changeable },
	"contained": func(d *distribution) bool { return d.container != "" },
	"sealed": func(d *distribution) bool {
		return d.sandbox == "flatpak" || d.sandbox == "snap" || d.image == steamOS
	},
	"kept": func(d *distribution) bool { return d.kept },
	"granted": func(d *distribution) bool { // Flatpak passes every node for graphics that the host has
		devices := strings.Split(setting(d.machine.Text("/.flatpak-info"), "Context", "devices"), ";")
		return slices.Contains(devices, "all") || slices.Contains(devices, "dri")
	},
	"32-bit": func(d *distribution) bool { return d.class == 32 },
	"has32":  func(d *distribution) bool { return d.class == 32 && d.has32() },
	"narrow": func(d *distribution) bool { return d.foreign },
	"unfetched": func(d *distribution) bool { // apt has no lists; a machine without apt's directory is not seen whole
		return d.packages != nil && !d.lists().Fetched() && d.machine.Exists("/var/lib/apt/lists")
	},
	"hosted": func(d *distribution) bool {
		return slices.ContainsFunc(nameLists()["hosted"],
			func(name string) bool { return host{d.machine}.variable(name) != "" })
	},
	"loaded": func(d *distribution) bool { return host{d.machine}.nvidiaLoaded() != "" },
	// NVIDIA's container tools have passed the driver; an image may set the variable, too
	"passed": func(d *distribution) bool {
		return host{d.machine}.variable(drivers.NvidiaDevices) != "" && d.hasLibrary("libnvidia-*.so.*") ||
			strings.Contains(d.machine.Whole("/proc/self/mountinfo"), "/libnvidia-")
	},
	"computing": func(d *distribution) bool { // and no library for graphics
		return d.hasLibrary("libcuda.so.*") &&
			!d.hasLibrary("libGLX_nvidia.so.*") && !d.hasLibrary("libnvidia-glcore.so.*")
	},
	"graphics": func(d *distribution) bool {
		return drivers.GrantsGraphics(host{d.machine}.variable(drivers.NvidiaCapabilities))
	},
}

// hasLibrary reports whether a library with a pattern of names is in a usual directory.
func (d *distribution) hasLibrary(pattern string) bool {
	directories := []string{"/usr/lib/x86_64-linux-gnu/", "/usr/lib/aarch64-linux-gnu/", "/usr/lib64/", "/usr/lib/"}
	return len(drivers.Matches(d.machine,
		term.Words(directories, func(directory string) string { return directory + pattern }))) > 0
}

// holds reports whether a word of the second column is true on this system, for a row with arguments.
func (d *distribution) holds(word string, with arguments) bool {
	if rest, not := strings.CutPrefix(word, "!"); not {
		return !d.holds(rest, with)
	}
	if word[0] == '{' {
		return strings.Join(with[strings.Trim(word, "{}")], "") != ""
	}
	if is := conditions[word]; is != nil {
		return is(d)
	}
	if name, lacks, is := strings.Cut(word, "!"); is {
		value := host{d.machine}.variable(name)
		return value != "" && !strings.Contains(value, lacks)
	}
	for row := range slices.Chunk(nameLists()["condition"], 3) {
		file := row[1]
		if row[0] == word && d.machine != nil && d.machine.Exists(file) &&
			(row[2] == "" || strings.Contains(d.machine.Whole(file), row[2])) {
			return true
		}
	}
	id, first := strings.CutPrefix(word, "id:")
	pattern, packages := strings.CutPrefix(word, "installed:")
	switch {
	case packages:
		names := strings.Fields(d.fill(pattern, with))
		return len(names) > 0 && d.packageNamed(d.absentPackages(names)[0]) != nil
	case word == "local":
		return slices.ContainsFunc(with["p"], d.isLocal)
	case path.IsAbs(word):
		return d.machine != nil && d.machine.Exists(word)
	case first:
		return d.is(id)
	case slices.Contains(families, word): // a family is one, and ID_LIKE may list several
		return d.family() == word
	}
	return d.image == word || d.sandbox == word || d.container == word || slices.Contains(d.ids, word)
}

// rowOf returns the first row of a verb whose words all hold; nil: the table has none.
func (d *distribution) rowOf(verb string, with arguments) *row {
	list := rows()
	for i := range list {
		fails := func(word string) bool { return !d.holds(word, with) }
		if list[i].verb == verb && !slices.ContainsFunc(list[i].where, fails) {
			return &list[i]
		}
	}
	return nil
}

// arguments are the values of a row's placeholders.
type arguments map[string][]string

// placeholders are the names that a person replaces. A line with one is no line for a shell.
var placeholders = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`\b(APPLICATION|NAME|VERSION)\b`) })

// by returns advice to do something on this system, by the table; nil: the table has no way.
func (d *distribution) by(verb string, with arguments) *Remedy {
	if r := d.rowOf(verb, with); r != nil {
		return d.follow(r.how, r.why, with)
	}
	return nil
}

// introductions are the words before the lines of a row.
var introductions = map[string]string{"root": "Run as root: ", "image": "In the image's Dockerfile: RUN ",
	"outside": "Run outside: "}

// follow returns the advice that the last two columns of a row give.
func (d *distribution) follow(how, why string, with arguments) *Remedy {
	do := &Remedy{because: term.Either(why == "and-restart", triable, obstacle(why))}
	add := func(before string, line shell.Line) {
		do.text = strings.TrimSpace(do.text + " " + before + string(line))
		if line != "" && !placeholders().MatchString(string(line)) {
			do.lines = append(do.lines, line)
		}
	}
	for part := range strings.SplitSeq(how, ";;") {
		kind, body, _ := strings.Cut(strings.TrimSpace(part), ": ")
		line := d.fillLine(body, with)
		switch body = d.fill(body, with); kind {
		case "root", "image", "outside", "run":
			add(introductions[kind], line)
			do.root = do.root || strings.Contains(do.text, " as root")
		case "start":
			options := term.Enclosed(" ", strings.TrimSpace(string(line)), "")
			do.text = strings.TrimSpace(do.text + " Start the container with: " + d.container + " run" + options +
				" ...")
		case "say":
			add(body, "")
		case "line":
			do.lines = append(do.lines, line)
			do.root = do.root || strings.Contains(do.text, " as root")
		case "then":
			do.then(body)
		case "install":
			do = do.before(d.choose(body))
		case "do":
			verb, names, _ := strings.Cut(body, " ")
			if names != "" {
				with = arguments{"p": {names}}
			}
			other := d.by(verb, with)
			if other == nil {
				return nil
			}
			do = do.before(other)
		}
	}
	if why == "restart" || why == "and-restart" && !strings.HasPrefix(string(do.because), "restart") {
		do.then("restart the machine")
	}
	return do
}

// then adds what to do after the advice: in the words before its line, so that the line ends the text.
func (t *Remedy) then(what string) {
	const run = "un as root: "
	if at := strings.LastIndex(t.text, run); at >= 0 && len(t.lines) > 0 &&
		strings.HasSuffix(t.text, string(t.lines[len(t.lines)-1])) {
		t.text = t.text[:at] + "un as root, then " + what + ": " + t.text[at+len(run):]
		return
	}
	t.text = strings.TrimSuffix(t.text, ".") + "; then " + what
}

// before returns other advice after this one.
func (t *Remedy) before(other *Remedy) *Remedy {
	all := t.or("", other)
	other.text, other.lines = all.text, all.lines
	return other
}

// or returns this advice and then another one, which words introduce: a choice, or a further step.
func (t *Remedy) or(when string, other *Remedy) *Remedy {
	all := *t
	all.text = strings.TrimPrefix(strings.TrimSuffix(t.text, ".")+". ", ". ") + when + other.text
	all.lines, all.root = slices.Concat(t.lines, other.lines), t.root || other.root
	return &all
}

// and returns advice to follow another one after this one: their lines are one where each ends with its line and is
// made in the same place.
func (t *Remedy) and(other *Remedy) *Remedy {
	for _, before := range introductions {
		one := func(do *Remedy) bool { return len(do.lines) == 1 && do.text == before+string(do.lines[0]) }
		if one(t) && one(other) {
			line := shell.Join(append(slices.Clone(t.lines), other.lines...), " && ")
			return &Remedy{text: before + string(line), lines: []shell.Line{line}, because: other.because,
				root: other.root}
		}
	}
	return t.before(other)
}

// with returns arguments of one word each: names and words by turns.
func with(pairs ...string) arguments {
	list := arguments{}
	for i := 0; i+1 < len(pairs); i += 2 {
		list[pairs[i]] = []string{pairs[i+1]}
	}
	return list
}

// ownArguments are the placeholders whose values the system has.
func (d *distribution) ownArguments() map[string]func() string {
	h := host{d.machine}
	return map[string]func() string{
		"app":    func() string { return term.Or(d.detail, "APPLICATION") },
		"box":    func() string { return term.Or(d.detail, "NAME") },
		"narrow": func() string { return d.narrow },
		"place":  func() string { return sandboxWords[d.container] },
		"driver": func() string {
			return term.Or(term.Enclosed("NVIDIA's driver ", h.nvidiaLoaded(), ""),
				"the host's version of NVIDIA's driver")
		},
		"graphics":  func() string { return "libnvidia-gl-" + branch(h.nvidiaLoaded()) + "=" + h.nvidiaLoaded() + "*" },
		"render":    func() string { return term.Or(h.field("/etc/group", 2, 0, "render"), "GID") },
		"than":      func() string { return term.Enclosed(" than ", d.version, "") },
		"branch":    d.branch,
		"mesa":      func() string { return d.platform() + ".default" + d.branch() },
		"extension": d.nvidiaExtension,
		"narrowextension": func() string { // a Flatpak for programs of both word sizes has both extensions
			wide := d.class != 32 && strings.Contains(setting(d.machine.Text("/.flatpak-info"), "Context", "features"),
				"multiarch")
			return term.Either(wide, strings.Replace(d.nvidiaExtension(), ".GL.", ".GL32.", 1), "")
		},
		"capable": func() string {
			value := h.variable(drivers.NvidiaCapabilities)
			return term.Either(value == "", "it is not set", "it is "+value+", without graphics")
		},
	}
}

// branch returns the branch of Freedesktop's runtime, as in names of Flatpak's extensions; "": unknown. Other runtimes
// have numbers of their own.
func (d *distribution) branch() string {
	return term.Either(d.is("org.freedesktop.platform"), term.Enclosed("//", d.version, ""), "")
}

// placeOf is an argument's place in a text of the table, with the space before it.
var placeOf = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` ?\{([a-z]+)(?:([:=])([^ }]*))?\}`) })

// fill returns a text of the table with its arguments: {x} has the words of x, {x:a} begins each of them with a, and
// {x=a} all of them joined. An argument without words takes no place.
func (d *distribution) fill(text string, with arguments) string {
	return placeOf().ReplaceAllStringFunc(text, func(place string) string {
		words, known := d.wordsOf(place, with)
		return term.Either(known, term.Enclosed(place[:strings.IndexByte(place, '{')], strings.Join(words, " "), ""),
			place)
	})
}

// fillLine returns a line of the table with its arguments, as fill does, quoted for a shell.
func (d *distribution) fillLine(text string, with arguments) shell.Line {
	return shell.Filled(text, placeOf(), func(place string) shell.Line {
		words, _ := d.wordsOf(place, with)
		blank := term.Either[shell.Line](place[0] == ' ', " ", "")
		return term.Either(len(words) == 0, "", blank+shell.Words(words...))
	})
}

// wordsOf returns the words of an argument in a text of the table; false if there is no such argument.
func (d *distribution) wordsOf(place string, with arguments) (words []string, known bool) {
	m := placeOf().FindStringSubmatch(place)
	words, known = with[m[1]]
	if value := d.ownArguments()[m[1]]; !known && value != nil {
		words, known = slices.DeleteFunc([]string{value()}, func(word string) bool { return word == "" }), true
	}
	switch {
	case m[2] == ":":
		words = term.Words(words, func(word string) string { return m[3] + word })
	case m[2] == "=" && len(words) > 0:
		words = []string{m[3] + strings.Join(words, " ")}
	}
	return words, known
}

//go:embed places.txt
var placesTable string

//go:embed names.txt
var namesTable string

// rowsOf returns the rows of a table with their columns, and empty ones after them.
func rowsOf(table string) (rows [][]string) {
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			rows = append(rows, term.Words(strings.Split(line+"||", "|"), strings.TrimSpace))
		}
	}
	return rows
}

// placeRows and nameLists are the tables, which are read at the first use.
var (
	placeRows = sync.OnceValue(func() [][]string { return rowsOf(placesTable) })
	nameLists = sync.OnceValue(func() map[string][]string {
		lists := map[string][]string{}
		for _, row := range rowsOf(namesTable) {
			lists[row[0]] = append(lists[row[0]], row[1:len(row)-2]...)
		}
		return lists
	})
)

// isNamed reports whether names.txt has a name in one of some lists.
func isNamed(name string, lists ...string) bool {
	return slices.ContainsFunc(lists, func(list string) bool { return slices.Contains(nameLists()[list], name) })
}

// pairValue returns the second name of the first pair in a list whose first name fits; "": none.
func pairValue(list string, is func(name string) bool) string {
	for pair := range slices.Chunk(nameLists()[list], 2) {
		if is(pair[0]) {
			return pair[1]
		}
	}
	return ""
}

// places returns the paths of places.txt for a purpose. values are names of placeholders and their values.
func (h host) places(purpose string, values ...string) (list []string) {
	for _, row := range placeRows() {
		if row[0] == purpose {
			list = append(list, h.expand(strings.NewReplacer(values...).Replace(row[1]))...)
		}
	}
	return list
}

// expand returns the paths that a pattern of places.txt stands for. Only names after a sign * are known to exist.
func (h host) expand(pattern string) []string {
	first, rest, _ := strings.Cut(pattern, "/")
	list := []string{""}
	if first == "~" {
		list[0] = h.ownHome()
	} else if name, is := strings.CutPrefix(first, "$"); is {
		list = slices.DeleteFunc(strings.Split(h.variable(name), ":"),
			func(place string) bool { return !path.IsAbs(place) })
	}
	for element := range strings.SplitSeq(rest, "/") {
		var below []string
		for _, at := range list {
			names := []string{element}
			if strings.Contains(element, "*") {
				names = slices.DeleteFunc(slices.Clone(h.machine.Names(at)), func(name string) bool {
					is, err := path.Match(element, name)
					return !is || err != nil
				})
			}
			below = append(below, term.Words(names, func(name string) string { return path.Join(at, "/", name) })...)
		}
		list = below
	}
	return list
}
