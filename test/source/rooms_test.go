package source

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"
)

// rooms are the directories of the spine, from the ground up. A file includes and calls only files of its own directory or of
// an earlier one. The reason says why the earlier ones do not know a directory.
var rooms = []struct{ name, reason string }{
	{"", "the records of spine.h, the assembler's numbers and generated files: they call no function"},
	{"process", "every directory uses lock, log, memory and waiting, so these use no other directory"},
	{"service", "log and lock do not need the driver service, and its client opens no driver itself"},
	{"core", "no code below depends on whether the core or a remembered answer decides a call"},
	{"library", "log and lock open no library, and the core asks for facts, never for libraries"},
	{"state", "a library does not know the instances in which it is a driver, or its objects there"},
	{"dispatch", "tables are filled from the drivers; the record of a driver does not know who looks up names"},
	{"physdev", "a look-up does not know what the commands do"},
	{"wsi", "a surface finds its devices; a physical device does not know surfaces"},
	{"debug", "surfaces can have names and tags, but do not depend on them; the log reaches callbacks without this directory"},
	{"device", "a device is created from a physical device, and not from a surface or a messenger"},
	{"instance", "everything belongs to an instance; only this directory knows how one is created and destroyed"},
}

// systems are the leaf directories of rooms whose files one system alone has. Linux and macOS share those below posix, Windows and
// macOS those below plain.
var systems = []string{"linux", "windows", "macos"}

// systemOf is the system that a file is for, "posix" or "plain" for two of them, "" for all of them.
func systemOf(file string) string {
	if leaf := filepath.Base(filepath.Dir(file)); leaf == "posix" || leaf == "plain" || slices.Contains(systems, leaf) {
		return leaf
	}
	return ""
}

// hasSystem reports whether a system has the files of a leaf.
func hasSystem(leaf, system string) bool {
	return leaf == "" || leaf == system || leaf == "posix" && system != "windows" || leaf == "plain" && system != "linux"
}

func roomOf(file string) string {
	dir := filepath.Dir(file)
	if systemOf(file) != "" {
		dir = filepath.Dir(dir)
	}
	if dir == "." || dir == "asm" || dir == "gen" {
		return ""
	}
	return dir
}

func roomFloor(room string) int {
	for i, r := range rooms {
		if r.name == room {
			return i
		}
	}
	return -1
}

var (
	cInclude  = regexp.MustCompile(`(?m)^\s*#\s*include "([^"]+)"`)
	cComment  = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*`)
	cText     = regexp.MustCompile(`"(\\.|[^"\\\n])*"|'(\\.|[^'\\\n])*'`)
	cJoined   = regexp.MustCompile(`\\\n`)
	cCommand  = regexp.MustCompile(`(?m)^\s*#.*$`)
	cName     = regexp.MustCompile(`(->|\.)?\s*\b([A-Za-z_]\w*)`)
	cFunction = regexp.MustCompile(`\b([A-Za-z_]\w*)\s*\(`)
)

// functions are those that a C file defines for others.
func functions(text string) []string {
	text = cCommand.ReplaceAllString(text, "")
	var out []string
	depth, start := 0, 0
	for i, c := range text {
		switch c {
		case '{':
			head := text[start:i]
			if m := cFunction.FindStringSubmatch(head); depth == 0 && m != nil && !strings.Contains(head, "=") &&
				!slices.Contains(strings.Fields(head), "static") {
				out = append(out, m[1])
			}
			depth++
		case '}':
			depth--
			start = i + 1
		case ';':
			if depth == 0 {
				start = i + 1
			}
		}
	}
	return out
}

// judge reads the C files of one system, by their path within the spine, and returns the faults of the arrows between them.
func judge(files map[string]string) (wrong []string, arrows int) {
	say := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
	definedIn := map[string]string{}
	code := map[string]string{}
	for file, text := range files {
		code[file] = cText.ReplaceAllString(cJoined.ReplaceAllString(cComment.ReplaceAllString(text, " "), " "), `""`)
		if filepath.Ext(file) == ".c" {
			for _, name := range functions(code[file]) {
				definedIn[name] = file
			}
		}
	}
	to := map[string]map[string]string{} // from file to file, and by which function
	check := func(file, other, by string) {
		if file == "asm/trampolines.c" && other == "dispatch/missing.c" {
			return // stubs end there, as they do in the functions of the tables
		}
		from, at := roomFloor(roomOf(file)), roomFloor(roomOf(other))
		if at > from {
			say("spine/%s leads to spine/%s (%s), which is above it: %s", file, other, by, rooms[at].reason)
		}
	}
	for file, text := range files {
		if roomFloor(roomOf(file)) < 0 {
			say("spine/%s is in a directory without a place in the order of rooms", file)
			continue
		}
		for _, m := range cInclude.FindAllStringSubmatch(cComment.ReplaceAllString(text, " "), -1) {
			other := m[1]
			if other == "system.h" || other == "registers.h" || other == "lines.h" {
				continue // of asm and gen, from the system's directory on the include path
			}
			if _, known := files[other]; !known && !strings.HasPrefix(other, "gen/") && other != "goc.h" {
				say("spine/%s includes %q, which is no file of the spine by its whole path", file, other)
				continue
			}
			if other == "goc.h" {
				if roomOf(file) != "core" {
					say("spine/%s includes goc.h: only the room core knows what the core is made of", file)
				}
				continue
			}
			arrows++
			room := roomOf(other)
			check(file, other, "includes it")
			if !hasSystem(systemOf(other), systemOf(file)) {
				say("spine/%s includes %q: a header of one system is for files of that system", file, other)
			}
			if room != "" && room != roomOf(file) && other != room+"/"+room+".h" && systemOf(other) == "" {
				say("spine/%s includes %q: a room is entered by its own header, %s/%s.h", file, other, room, room)
			}
		}
		for _, m := range cName.FindAllStringSubmatch(cInclude.ReplaceAllString(code[file], ""), -1) {
			other := definedIn[m[2]]
			if m[1] != "" || other == "" || other == file || filepath.Ext(file) != ".c" {
				continue
			}
			if to[file] == nil {
				to[file] = map[string]string{}
			}
			if to[file][other] == "" {
				arrows++
				to[file][other] = m[2]
				check(file, other, "uses "+m[2])
			}
		}
	}
	// Files of one room are in no order but that of their calls, which must lead nowhere back.
	done := map[string]bool{}
	var visit func(file string, path []string)
	visit = func(file string, path []string) {
		if i := slices.Index(path, file); i >= 0 {
			circle := append(slices.Clone(path[i:]), file)
			var words []string
			for k := 0; k+1 < len(circle); k++ {
				words = append(words, fmt.Sprintf("spine/%s uses %s of", circle[k], to[circle[k]][circle[k+1]]))
			}
			say("a circle: %s spine/%s", strings.Join(words, " "), file)
			return
		}
		if done[file] {
			return
		}
		done[file] = true
		var next []string
		for other := range to[file] {
			next = append(next, other)
		}
		sort.Strings(next)
		for _, other := range next {
			visit(other, append(slices.Clone(path), file))
		}
	}
	var names []string
	for file := range files {
		names = append(names, file)
	}
	sort.Strings(names)
	for _, file := range names {
		visit(file, nil)
	}
	sort.Strings(wrong)
	return wrong, arrows
}

// spineFiles gives the hand-written C files of the spine, by their path in it.
func spineFiles(t *testing.T) map[string]string {
	t.Helper()
	spine := filepath.Join(top, "spine")
	files := map[string]string{}
	err := filepath.WalkDir(spine, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() && entry.Name() == "gen" {
			return filepath.SkipDir
		}
		if ext := filepath.Ext(path); ext == ".c" || ext == ".h" {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			name, _ := filepath.Rel(spine, path)
			files[name] = string(text)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// The rooms of the spine stand on each other in one order, and no file leads back to itself.
func TestRooms(t *testing.T) {
	t.Parallel()
	files := spineFiles(t)
	for _, system := range systems {
		own := map[string]string{}
		for name, text := range files {
			if hasSystem(systemOf(name), system) {
				own[name] = text
			}
		}
		wrong, arrows := judge(own)
		for _, line := range wrong {
			t.Errorf("for %s: %s", system, line)
		}
		if len(own) < 40 || arrows < 200 {
			t.Errorf("for %s: only %d arrows between %d files were seen", system, arrows, len(own))
		}
	}
	for _, r := range rooms[1:] {
		if _, ok := files[filepath.Join(r.name, r.name+".h")]; ok || r.name == "debug" { // it has no header
			continue
		}
		t.Errorf("room %q has no header of its name", r.name)
	}
}

// What TestRooms must not let pass, each in a small spine of its own.
func TestRoomsAreJudged(t *testing.T) {
	t.Parallel()
	sound := func() map[string]string {
		return map[string]string{
			"spine.h":                "",
			"process/process.h":      "#include \"spine.h\"\nvoid log_line(void);\n",
			"process/log.c":          "#include \"process/process.h\"\nvoid log_line(void) { }\n",
			"process/gate.c":         "#include \"process/process.h\"\nvoid gate_enter(void) { log_line(); }\n",
			"state/state.h":          "#include \"process/process.h\"\n",
			"state/own.h":            "",
			"process/windows/wide.h": "",
			"process/windows/gate.c": "#include \"process/windows/wide.h\"\n",
			"state/driver.c": "#include \"state/state.h\"\n#include \"state/own.h\"\n" +
				"static const struct { int a; } table[] = {{1}};\n" +
				"/* no arrow: surface_free() */\nvoid driver_end(struct x *x)\n{\n    x->surface_free = \"surface_free\";\n    log_line();\n}\n",
			"wsi/surface.c": "#include \"state/state.h\"\nvoid surface_free(void) { log_line(); }\n",
		}
	}
	if wrong, arrows := judge(sound()); len(wrong) > 0 || arrows != 11 {
		t.Fatalf("%d arrows: %s", arrows, strings.Join(wrong, "\n"))
	}
	for name, c := range map[string]struct{ file, text, want string }{
		"include upwards":  {"process/log.c", `#include "state/state.h"`, "spine/process/log.c leads to spine/state/state.h (includes it)"},
		"call upwards":     {"state/driver.c", "void f(void) { surface_free(); }", "spine/state/driver.c leads to spine/wsi/surface.c (uses surface_free)"},
		"in a macro":       {"state/driver.c", "#define F \\\n    surface_free()", "(uses surface_free)"},
		"header of a room": {"wsi/surface.c", `#include "state/own.h"`, "a room is entered by its own header, state/state.h"},
		"circle":           {"process/log.c", "VkResult f(int a)\n{\n    return gate_enter;\n}", "spine/process/gate.c uses log_line of spine/process/log.c uses gate_enter of spine/process/gate.c"},
		"no room":          {"attic/x.c", "", "spine/attic/x.c is in a directory without a place"},
		"another system's": {"state/driver.c", `#include "process/windows/wide.h"`, "a header of one system is for files of that system"},
		"no whole path":    {"state/driver.c", `#include "own.h"`, `"own.h", which is no file of the spine`},
		"the core's":       {"wsi/surface.c", `#include "goc.h"`, "only the room core"},
	} {
		files := sound()
		files[c.file] += c.text + "\n"
		wrong, _ := judge(files)
		if len(wrong) != 1 || !strings.Contains(wrong[0], c.want) {
			t.Errorf("%s: %q", name, wrong)
		}
	}
}

// A path without linux/, windows/, macos/, posix/ or plain/ belongs to all systems: the Makefile compiles each file of the spine for each system,
// except those below other systems' directories.
func TestEachSystemCompilesAllFiles(t *testing.T) {
	t.Parallel()
	files := spineFiles(t)
	for _, system := range systems {
		cmd := exec.Command("make", "-s", "-C", top, "--no-print-directory", "TARGET=", "PORTABLE=", "BITS=64", "MACHINE=x86_64",
			"SYSTEM="+system, "--eval", "compiled-files: ; @echo $(SPINE_SRC) $(SPINE_LARGE)", "compiled-files")
		cmd.Env = append(slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "MAKE") || strings.HasPrefix(v, "MFLAGS") }), "LC_ALL=C")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("make: %v", err)
		}
		compiled := map[string]bool{}
		for _, file := range strings.Fields(string(out)) {
			compiled[strings.TrimPrefix(file, "spine/")] = true
		}
		if len(compiled) < 60 {
			t.Errorf("for %s: only %d files", system, len(compiled))
		}
		for file := range files {
			if filepath.Ext(file) == ".c" && compiled[file] != hasSystem(systemOf(file), system) {
				t.Errorf("spine/%s: compiled for %s: %v", file, system, compiled[file])
			}
		}
	}
}

var (
	systemMacro = regexp.MustCompile(`(?m)^\s*#\s*(?:if|ifdef|ifndef|elif)\b.*\b(_WIN32|_WIN64|WIN32|__APPLE__|__MACH__|__linux__|__unix__|__GLIBC__|_MSC_VER|__MINGW\w*|__CYGWIN__)\b`)
	// A function whose body has nothing but casts to void and a constant that it returns.
	empty = regexp.MustCompile(`(?m)^[a-z][^;={}#]*?\b(\w+)\([^;{}]*\)\s*\{\s*(?:\(void\)[^;]*;\s*)*(?:return (?:0|false|true|NULL);\s*)?\}`)
)

// The path of a file names its systems: no file for all systems asks the
// preprocessor for the system, and a function that does nothing on one system is in that system's none.c.
func TestOnlyPathsTellSystemsApart(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]bool{"#ifdef _WIN32": true, "# elif defined __GLIBC__ && 1": true, "#ifdef __i386__": false, "int _WIN32;": false} {
		if systemMacro.MatchString(name) != want {
			t.Errorf("%s: want %v", name, want)
		}
	}
	for text, want := range map[string]bool{"void f(int a)\n{\n    (void)a;\n}\n": true, "bool f(void)\n{\n    return false;\n}": true, "void f(void) {}": true,
		"int f(void)\n{\n    return g;\n}": false, "static int f(int a)\n{\n    return a;\n}": false} {
		if empty.MatchString(text) != want {
			t.Errorf("%q: want %v", text, want)
		}
	}
	for file, text := range spineFiles(t) {
		code := cComment.ReplaceAllString(text, " ")
		if m := systemMacro.FindStringSubmatch(code); m != nil && systemOf(file) == "" {
			t.Errorf("spine/%s asks for %s: what systems do differently stands below linux/, windows/, macos/, posix/ and plain/", file, m[1])
		}
		if systemOf(file) == "" || filepath.Base(file) == "none.c" {
			continue
		}
		for _, m := range empty.FindAllStringSubmatch(code, -1) {
			if !strings.HasPrefix(m[0], "static") {
				t.Errorf("spine/%s: %s does nothing: it belongs in none.c beside it", file, m[1])
			}
		}
	}
}

// The first comment of spine.h is the map of the spine: it names each directory and each header in it.
func TestMapNamesAllHeaders(t *testing.T) {
	t.Parallel()
	files := spineFiles(t)
	plan, _, ok := strings.Cut(files["spine.h"], "*/")
	if !ok {
		t.Fatal("spine.h has no first comment")
	}
	rooms := map[string]string{}
	at := regexp.MustCompile(`(?m)^ \*   (\w+)/ `).FindAllStringSubmatchIndex(plan, -1)
	for i, m := range at {
		end := len(plan)
		if i+1 < len(at) {
			end = at[i+1][0]
		}
		rooms[plan[m[2]:m[3]]] = plan[m[0]:end]
	}
	named := map[string]bool{}
	for file := range files {
		directory, _, inside := strings.Cut(file, "/")
		if !inside {
			continue
		}
		named[directory+"/"+filepath.Base(file)] = true
		text, known := rooms[directory]
		if !known {
			t.Errorf("the map has no directory %s", directory)
			rooms[directory] = ""
			continue
		}
		if name := filepath.Base(file); filepath.Ext(name) == ".h" && !regexp.MustCompile(`\b`+regexp.QuoteMeta(name)).MatchString(text) {
			t.Errorf("the map does not name %s, in its part on %s/", file, directory)
		}
	}
	for directory, text := range rooms {
		for _, name := range regexp.MustCompile(`\b\w+\.[ch]\b`).FindAllString(text, -1) {
			if !named[directory+"/"+name] && files[name] == "" && !strings.HasPrefix(name, "z") {
				t.Errorf("the map names %s/%s, which does not exist", directory, name)
			}
		}
	}
}
