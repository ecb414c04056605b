package source

import (
	"bufio"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"testing"
)

const top = "../.."
const module = "vkloader/"

// floors are the order of the packages: a package imports only packages on lower floors. The reason names the job of the package,
// and its limits.
var floors = []struct {
	packages []string
	reason   string
}{
	{[]string{"internal/core/pathname"}, "how paths are written: it handles text only"},
	{[]string{"internal/core/diag", "internal/core/document", "internal/core/variables",
		"internal/core/family"},
		"facts of drivers, findings and the JSON parser know nothing of a loader"},
	{[]string{"internal/core/runtime"}, "the C support of translated code, which tools/goc writes before it; it knows no package"},
	{[]string{"internal/decide/vk"}, "facts of the API for the tool and the tests; the library has its own tables"},
	{[]string{"internal/machines"}, "the table of machines, for the build, the tool and the tests; the library gets its row from the Makefile"},
	{[]string{"internal/core/facts"}, "facts and questions are the same for the library, the tool and the tests"},
	{[]string{"internal/decide/workers"}, "a sync.WaitGroup with the method Go that Go 1.24 lacks; it knows no function that it starts"},
	{[]string{"internal/decide/descriptor"}, "gives the descriptor of an open file to system calls; it makes none"},
	{[]string{"internal/decide/spawn"}, "the one place where the tool starts processes; it knows no program"},
	{[]string{"internal/decide/wording"}, "formats single values; it contains no sentence"},
	{[]string{"internal/decide/shell"}, "writes lines for a person's shell; it suggests none"},
	{[]string{"internal/decide/standing"}, "the stages of a driver or layer on its way into a program: values and words"},
	{[]string{"internal/decide/display"}, "asks an X server for its extensions; it knows no driver"},
	{[]string{"internal/decide/windows"}, "what a running Windows reports, for the tool; it decides nothing"},
	{[]string{"internal/decide/machine"}, "only the tool reads facts from the operating system, and opens directories for writing; the core never does"},
	{[]string{"internal/decide/reasons"}, "the sentences of findings, which the core gives as codes and details; the library has none of them"},
	{[]string{"internal/core/served"}, "parses what the driver service sends; it trusts nothing and opens nothing"},
	{[]string{"internal/core/manifest"}, "parses manifests; it neither searches nor decides"},
	{[]string{"internal/core/settings"}, "parses the settings file, in the dialect of manifests"},
	{[]string{"internal/core/search"}, "which files are searched, in which order; it does not interpret what it finds"},
	{[]string{"internal/core/plan"}, "makes the decision; it must not know how the decision is shown or sent"},
	{[]string{"internal/core/wire"}, "encodes the plan; it must decide nothing"},
	{[]string{"internal/tool/term"}, "text for people, and the nearest name to a misspelled one; it knows no driver, layer or machine"},
	{[]string{"internal/tool/exit"}, "the exit codes of the tool; the library never ends a process"},
	{[]string{"internal/tool/option"}, "makes options of a struct's fields, and a command line of their values; it knows no command"},
	{[]string{"spec"}, "the published statements, which the tool can show"},
	{[]string{"docs/schema"}, "the published schemas, which the tool contains"},
	{[]string{"internal/tool/validation"}, "judges one file, by a JSON Schema and by the loader's rules; it makes no decision and examines no system"},
	{[]string{"internal/decide/explain"}, "makes the library's decision for the tool, in order, with reasons and tested changes; it prints nothing"},
	{[]string{"internal/decide/binary"}, "what library and program files contain, and where libraries are found; it knows nothing of drivers and layers"},
	{[]string{"internal/decide/drivers"}, "which graphics devices the kernel shows, tables of known drivers and chips, and which files a driver or layer needs; its caller says which drivers programs get"},
	{[]string{"internal/decide/trust"}, "which files a privileged process may use; it opens nothing for its callers"},
	{[]string{"internal/decide/probe"}, "runs the child that loads foreign code, or that reads Windows as the library does; it knows what the child saw, not what is right"},
	{[]string{"internal/decide/loaders"}, "which loader a program gets, what loaders of each version read, and what they log; it decides nothing for them"},
	{[]string{"internal/decide/systems"}, "machines with another system, by their files; the core decides, except for Android's rules"},
	{[]string{"internal/decide"}, "makes the decision for a program on a host, and judges the files of its drivers and layers; it loads none"},
	{[]string{"discover"}, "answers questions about a program's drivers, layers and devices with documented types; it does not know the tool's commands"},
	{[]string{"internal/tool/selector"}, "how users name a device of a list; it lists none"},
	{[]string{"internal/decide/process"}, "examines running processes; it starts nothing, and does not know what is wrong"},
	{[]string{"internal/tool/edit"}, "saves, writes and restores single files; it knows no content"},
	{[]string{"internal/tool/settings"}, "writes the settings files of the loader and of layers; the library reads the loader's, and layers read theirs"},
	{[]string{"internal/tool/environment"}, "what each variable is for, and what is wrong with those that are set; it asks for the decision, and the decision does not ask it"},
	{[]string{"internal/tool/system"}, "which loader the system's programs get, and the links that choose it; it starts no package manager"},
	{[]string{"internal/tool/survey"}, "joins the decision with what a child saw and with the devices' names in other interfaces, and draws the chain; it is above both"},
	{[]string{"internal/tool/run"}, "only the tool starts programs: it says what they get, how they ended, and what makes them fail"},
	{[]string{"internal/tool/doctor"}, "what is wrong with a machine; it asks for the decision, and the decision does not ask it"},
	{[]string{"internal/tool/fix"}, "makes tested changes in the user's own files; the doctor says what is wrong"},
	{[]string{"internal/tool/bundle"}, "packs the parts that it gets and the files that it reads; only the tool links it"},
	{[]string{"internal/containers/protocol", "internal/containers/sealed", "internal/containers/activation",
		"internal/containers/logging"}, "the parts of the service: none knows a driver or another part"},
	{[]string{"internal/containers/roots"}, "the methods of os.Root that Go 1.24 lacks; it chooses no root and no file"},
	{[]string{"internal/containers/border"}, "opens files on read-only mounts; it hands out none"},
	{[]string{"internal/containers/directory"}, "a directory that clients see; it knows no client"},
	{[]string{"internal/containers/client"}, "asks a service as the library does, for the tool"},
	{[]string{"internal/containers/offer"}, "which drivers the machine has; it knows no client"},
	{[]string{"internal/containers/cdi"}, "files for containers; it uses what the service offers, and only the command calls it"},
	{[]string{"internal/containers/component"}, "makes a driver from a package; it knows no device and no client"},
	{[]string{"internal/containers/state"}, "what the service knows, and who waits; it opens nothing, and its caller reports events"},
	{[]string{"internal/containers/table"}, "which drivers a device has, according to tables"},
	{[]string{"internal/containers/devices"}, "which devices exist; it opens none"},
	{[]string{"internal/containers/config"}, "the operator's configuration of the service"},
	{[]string{"internal/containers/server"}, "joins the parts of the service; only the command starts it"},
	{[]string{"internal/tool/ui/guard"}, "which requests the page answers; it does not know what is on the page"},
	{[]string{"internal/tool/ui"}, "shows the output of command lines, and makes changes by them; it decides nothing"},
	{[]string{"internal/tool/cli"}, "flags and output; no package below knows how it is called or shown"},
	{[]string{"internal/core/entry"}, "the functions that the library calls, translated to C with all that they call; no package imports it"},
	{[]string{"cmd/vkloader"}, "a program: no package imports it"},
}

// sideways are imports between packages on one floor, with the reason.
var sideways = map[string]string{}

type file struct {
	path    string // relative
	pack    string // directory
	test    bool
	imports []string
	text    string
	doc     bool // a comment right before the package clause
}

func sources(t *testing.T) []file {
	t.Helper()
	var out []file
	err := filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		if entry.IsDir() && path != top && (name == "build" || name == "testdata" || strings.HasPrefix(name, ".")) {
			return filepath.SkipDir
		}
		if entry.IsDir() || !strings.HasSuffix(name, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), path, text, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(top, path)
		if err != nil {
			return err
		}
		f := file{path: relative, pack: filepath.ToSlash(filepath.Dir(relative)), test: strings.HasSuffix(name, "_test.go"), text: string(text), doc: parsed.Doc != nil}
		for _, spec := range parsed.Imports {
			imported, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			f.imports = append(f.imports, imported)
		}
		out = append(out, f)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func floorOf(pack string) int {
	for i, floor := range floors {
		for _, p := range floor.packages {
			if p == pack {
				return i
			}
		}
	}
	return -1
}

// isStandard: no dot in the first element, and not this module.
func isStandard(imported string) bool {
	first, _, _ := strings.Cut(imported, "/")
	return !strings.Contains(first, ".") && first+"/" != module && imported != "C"
}

func TestImportsGoOneWay(t *testing.T) {
	t.Parallel()
	for _, f := range sources(t) {
		if f.test || !(strings.HasPrefix(f.pack, "internal/") || strings.HasPrefix(f.pack, "cmd/") || f.pack == "discover") {
			continue
		}
		own := floorOf(f.pack)
		if own < 0 {
			t.Errorf("%s: package %s has no place among the arrows: add it to floors with a reason", f.path, f.pack)
			continue
		}
		for _, imported := range f.imports {
			pack, ours := strings.CutPrefix(imported, module)
			if !ours {
				continue
			}
			other := floorOf(pack)
			switch {
			case other < 0:
				t.Errorf("%s imports %s, which is no part of the product", f.path, pack)
			case other >= own && sideways[f.pack+" "+pack] == "":
				t.Errorf("%s imports %s upwards or sideways: %s", f.path, pack, floors[other].reason)
			}
		}
	}
}

// reach returns everything of this module that a package imports, itself included.
func reach(all []file, pack string) map[string]bool {
	seen := map[string]bool{}
	var walk func(string)
	walk = func(p string) {
		if seen[p] {
			return
		}
		seen[p] = true
		for _, f := range all {
			if f.test || f.pack != p {
				continue
			}
			for _, imported := range f.imports {
				if other, ours := strings.CutPrefix(imported, module); ours {
					walk(other)
				}
			}
		}
	}
	walk(pack)
	return seen
}

// The core decides over bytes: it opens nothing, starts nothing, and links the standard library alone.
func TestCoreLinksLittle(t *testing.T) {
	t.Parallel()
	banned := map[string]string{
		"os": "the core calls nothing that is not its own", "os/exec": "the core starts nothing", "net": "the core talks to nobody",
		"io/ioutil": "the core opens nothing", "syscall": "the core makes no system calls of its own", "os/signal": "the core touches no signal",
		"time": "a decision does not depend on the clock", "fmt": "costs start-up time", "encoding/json": "another dialect than the one that programs can see, and start-up time",
		"regexp": "costs start-up time", "log": "log lines are part of the plan", "reflect": "costs start-up time",
	}
	all := sources(t)
	packages := reach(all, "internal/core/entry")
	for _, f := range all {
		if f.test || !packages[f.pack] {
			continue
		}
		for _, imported := range f.imports {
			if reason, no := banned[imported]; no {
				t.Errorf("%s, which is in the core, imports %s: %s", f.path, imported, reason)
			}
			if !isStandard(imported) && !strings.HasPrefix(imported, module) {
				t.Errorf("%s, which is in the core, imports %s: the core links the standard library only", f.path, imported)
			}
		}
	}
	for _, pack := range []string{"internal/decide/machine", "internal/tool/term", "internal/tool/environment", "internal/tool/doctor",
		"internal/tool/run"} {
		if packages[pack] {
			t.Errorf("the core reaches %s", pack)
		}
	}
}

// houses are the houses of the sources with the houses that each may import, besides itself.
var houses = map[string][]string{
	"internal/core":       nil,
	"internal/machines":   nil,
	"internal/decide":     {"internal/core", "internal/machines"},
	"discover":            {"internal/core", "internal/decide"},
	"internal/containers": {"internal/core", "internal/decide", "internal/machines"},
	"internal/tool": {"internal/core", "internal/decide", "discover", "internal/machines", "internal/containers", "docs", "spec",
		"drivers", "layers", "tools/pages"},
}

// TestHousesPointDownwards checks that a package outside the tests imports only its own house and the houses below.
func TestHousesPointDownwards(t *testing.T) {
	t.Parallel()
	house := func(pack string) string {
		for name := range houses {
			if pack == name || strings.HasPrefix(pack, name+"/") {
				return name
			}
		}
		return ""
	}
	seen := map[string]bool{}
	for _, f := range sources(t) {
		from := house(f.pack)
		if f.test || from == "" {
			continue
		}
		seen[from] = true
		for _, imported := range f.imports {
			pack, ours := strings.CutPrefix(imported, module)
			if to := house(pack); ours && to != from && !slices.ContainsFunc(houses[from], func(h string) bool { return pack == h || strings.HasPrefix(pack, h+"/") }) {
				t.Errorf("%s imports %s, which is not below %s", f.path, imported, from)
			}
		}
	}
	if len(seen) != len(houses) {
		t.Errorf("only the houses %v have packages", seen)
	}
}

// internal/core holds only code of the library, so that the path tells whether a line is in other
// programs' processes.
func TestCoreHoldsOnlyTheLibrary(t *testing.T) {
	t.Parallel()
	all := sources(t)
	reached := reach(all, "internal/core/entry")
	reached["internal/core/runtime"] = true // the library contains its C files
	if len(reached) < 10 {
		t.Fatalf("the library reaches only %d packages", len(reached))
	}
	for _, f := range all {
		if !f.test && strings.HasPrefix(f.pack, "internal/core/") && !reached[f.pack] {
			t.Errorf("%s: the library does not contain package %s", f.path, f.pack)
		}
	}
}

// The tool is one static file, and the core is translated: neither crosses to C. The functions of Windows take addresses of
// structures: one package calls them.
func TestNeitherCgoNorUnsafe(t *testing.T) {
	t.Parallel()
	for _, f := range sources(t) {
		for _, imported := range f.imports {
			if imported == "unsafe" && f.pack == "internal/decide/windows" && strings.HasSuffix(f.path, "_windows.go") {
				continue
			}
			if imported == "C" || imported == "unsafe" {
				t.Errorf("%s imports %s", f.path, imported)
			}
		}
	}
}

func TestGeneratedFilesSayHow(t *testing.T) {
	t.Parallel()
	for _, f := range sources(t) {
		first, _, _ := strings.Cut(f.text, "\n")
		generated := strings.HasPrefix(first, "// Code generated ") && strings.HasSuffix(first, " DO NOT EDIT.")
		if named := strings.HasPrefix(filepath.Base(f.path), "z"); named != generated {
			t.Errorf("%s: begins with z: %v; says that it is generated: %v", f.path, named, generated)
		}
	}
	seen := 0
	for _, pattern := range []string{"spine/*/*", "spine/*/*/*", "drivers/*/*", "layers/*/*", "test/lib/*", "internal/decide/probe/child/*"} {
		paths, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range paths {
			if !slices.Contains([]string{".c", ".h", ".inc", ".def"}, filepath.Ext(path)) || path == filepath.Join(top, "spine/gen/core.c") {
				continue
			}
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			first, _, _ := strings.Cut(string(text), "\n")
			generated := regexp.MustCompile(`^(/\*|;) Code generated .* DO NOT EDIT\.( \*/)?$`).MatchString(first)
			if named := strings.HasPrefix(filepath.Base(path), "z"); named != generated {
				t.Errorf("%s: begins with z: %v; says that it is generated: %v", path, named, generated)
			} else if generated {
				seen++
			}
		}
	}
	if seen < 13 {
		t.Errorf("only %d generated files of C", seen)
	}
}

func TestPackagesSayWhatTheyAre(t *testing.T) {
	t.Parallel()
	said := map[string]bool{}
	for _, f := range sources(t) {
		if !f.test {
			said[f.pack] = said[f.pack] || f.doc
		}
	}
	var silent []string
	for pack, yes := range said {
		if !yes {
			silent = append(silent, pack)
		}
	}
	sort.Strings(silent)
	for _, pack := range silent {
		t.Errorf("%s has no package comment", pack)
	}
}

// C files of the spine, the tests and the drivers have a first comment about their job, lines of at most 120
// columns beside their texts, which stand on one line, at most 650 lines, nothing unfinished. The runtime of the
// translator, which becomes one file with the translated code, may be longer.
func TestCFiles(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"spine/*.[ch]", "spine/*/*.[ch]", "spine/*/*/*.[ch]", "spine/asm/*/*.S", "test/*/*.[ch]", "test/*/*/*.[ch]", "test/*/*/*/*.[ch]", "test/*/*/*/*/*.[ch]", "drivers/*/*.[ch]", "layers/*/*.[ch]", "internal/decide/probe/child/*.[ch]", "internal/decide/probe/child/*/*.[ch]", "internal/core/runtime/c/*.[ch]"} {
		files, err := filepath.Glob(filepath.Join(top, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range files {
			checkC(t, path)
		}
	}
}

var quoted = regexp.MustCompile(`"(?:[^"\\]|\\.)*"`)

func checkC(t *testing.T, path string) {
	t.Helper()
	if strings.HasPrefix(filepath.Base(path), "z") || strings.Contains(path, "/testdata/") {
		return
	}
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	scanner := bufio.NewScanner(f)
	scanner.Buffer(nil, 1<<20)
	n := 0
	for scanner.Scan() {
		n++
		line := scanner.Text()
		if n == 1 && !strings.HasPrefix(line, "/* ") {
			t.Errorf("%s does not begin with a comment that says what it does", path)
		}
		if len(line) > 120 && len(quoted.ReplaceAllString(line, "")) > 120 {
			t.Errorf("%s:%d: %d columns", path, n, len(line))
		}
		for _, word := range []string{"TO" + "DO", "FIX" + "ME", "XX" + "X:"} {
			if strings.Contains(line, word) {
				t.Errorf("%s:%d: %s", path, n, word)
			}
		}
	}
	if n > 650 && !strings.Contains(path, "/core/runtime/") {
		t.Errorf("%s has %d lines", path, n)
	}
}

// A doc.go holds its package's comment alone, so that no code hides there.
func TestDocFilesHoldNoCode(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile(`(?m)^(import|const|var|type|func)\b`)
	for _, f := range sources(t) {
		if filepath.Base(f.path) == "doc.go" && code.MatchString(f.text) {
			t.Errorf("%s holds code", f.path)
		}
	}
}
