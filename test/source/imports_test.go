package source

import (
	"bufio"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"sort"
	"strconv"
	"strings"
	"testing"
)

const top = "../.."
const module = "vkloader/"

// floors are the arrows of the design: a package imports only what is on a lower floor, for the reason given.
var floors = []struct {
	packages []string
	reason   string
}{
	{[]string{"internal/core/vk", "internal/core/diag", "internal/core/document", "internal/core/variables",
		"internal/core/family"},
		"facts of the API and of drivers, findings and the reading of JSON know nothing of a loader"},
	{[]string{"internal/commands"}, "the commands that the loader knows, for the tool and the tests: the library has its own table"},
	{[]string{"internal/core/pathname"}, "how paths are written: text alone"},
	{[]string{"internal/core/facts"}, "what is known and what was asked for is the same for library, tool and tests"},
	{[]string{"internal/tool/pc"}, "what a running Windows says of itself, for the tool: no decision"},
	{[]string{"internal/tool/machine"}, "only the tool reads facts from the operating system, and opens directories for writing; the core never does"},
	{[]string{"internal/core/served"}, "bytes of the driver service to files and manifests: untrusted, and nothing is opened"},
	{[]string{"internal/core/manifest"}, "bytes to manifests: no search, no decision"},
	{[]string{"internal/core/settings"}, "bytes to rules, on top of the manifests' dialect"},
	{[]string{"internal/core/search"}, "which files, in which order: it does not interpret what it finds"},
	{[]string{"internal/core/plan"}, "the decision: it must not know how it is shown or sent"},
	{[]string{"internal/core/wire"}, "a form of the plan; nothing may be decided there"},
	{[]string{"internal/tool/term"}, "text for people, and the name that a misspelled one was meant to be: knows of no driver, layer or machine"},
	{[]string{"internal/tool/gpus"}, "which graphics devices the kernel shows, and how a person names one: it knows of no driver and judges nothing"},
	{[]string{"internal/tool/loaderlog"}, "the lines of the loader as values: runs nothing, decides nothing"},
	{[]string{"internal/tool/exit"}, "what the tool's process ends with; the library never ends one"},
	{[]string{"spec"}, "the published statements, for the tool to show"},
	{[]string{"docs/schema"}, "the published schemas, for the tool to carry"},
	{[]string{"internal/tool/validation"}, "one file at a time, by a JSON Schema and by the loader's rules, for the tool: no decision, no system"},
	{[]string{"internal/tool/probe"}, "runs the child that loads foreign code, or that reads Windows as the library does; knows what it saw, not what should be"},
	{[]string{"internal/tool/layersettings"}, "the file that layers read, by the names of a manifest: it enables no layer"},
	{[]string{"internal/tool/explain"}, "makes the library's decision for all of the tool, and gives it in order, with reasons and with changes that were tried on it: it asks nobody else, and prints nothing"},
	{[]string{"internal/tool/binary"}, "what the files of libraries and programs say of themselves, and where libraries are found; knows nothing of drivers and layers"},
	{[]string{"internal/tool/drivers"}, "the drivers and chips that exist, and which files a driver or layer needs: which drivers programs get it is told"},
	{[]string{"internal/tool/loaders"}, "which loader a program and the system's programs get, and what loaders of each version obey: it decides nothing for them"},
	{[]string{"internal/tool/systems"}, "which places other systems search, and what a machine with one would say, by the files that it is given; the core decides, Android's rules apart"},
	{[]string{"discover"}, "the package for other programs: it may need what is below, and nothing below it may be made for it"},
	{[]string{"internal/tool/ask"}, "what the tool knows of a machine it knows from package discover: this asks it, and decides nothing"},
	{[]string{"internal/tool/settingsfile"}, "writes the settings file, with the rules about the order of layers in it, for the tool alone: the library only reads it"},
	{[]string{"internal/tool/environment"}, "what each variable is for, and what is wrong with those that are set: it asks the decision and is not asked by it"},
	{[]string{"internal/tool/process"}, "reads what runs; starts nothing, and knows nothing of what is wrong"},
	{[]string{"internal/tool/quarantine"}, "keeps something out by the settings file; who is guilty it is told"},
	{[]string{"internal/tool/culprit"}, "what makes a run fail, and how it is left out: who asks makes the runs"},
	{[]string{"internal/tool/doctor"}, "what is wrong with a machine: it asks the decision and is not asked by it"},
	{[]string{"internal/tool/fix"}, "makes what was tried in the user's own files; what is wrong the doctor says"},
	{[]string{"internal/tool/bundle"}, "packs what it is given and what it reads of the machine; only the tool links it"},
	{[]string{"internal/tool/graph"}, "draws what it is given; only the tool links it"},
	{[]string{"internal/tool/survey"}, "the decision beside what a child saw, and the devices' names in other interfaces: above both, and above the picture it fills"},
	{[]string{"internal/tool/launch"}, "only the tool starts programs: what they get, and how they end"},
	{[]string{"internal/service/protocol", "internal/service/sealed", "internal/service/directory", "internal/service/activation",
		"internal/service/logging"}, "what the service is made of: each knows nothing of drivers and of the others"},
	{[]string{"internal/service/client"}, "asks a service as the library does, for the tool"},
	{[]string{"internal/service/offer"}, "which drivers the machine has: knows of no client"},
	{[]string{"internal/tool/image"}, "an image as a file system: knows of nothing in it"},
	{[]string{"internal/tool/cdi"}, "files for containers: stands on what the service offers, and is asked by the command alone"},
	{[]string{"internal/service/component"}, "a driver out of a package: knows of no device and no client"},
	{[]string{"internal/service/state"}, "what the service knows and who waits: opens nothing, and is told what happens"},
	{[]string{"internal/service/table"}, "which drivers are for a device: reads tables alone"},
	{[]string{"internal/service/devices"}, "which devices there are: opens none"},
	{[]string{"internal/service/config"}, "what an operator says of the service"},
	{[]string{"internal/service/server"}, "brings the service's parts together; only the command starts it"},
	{[]string{"internal/core/wire/wiregen"}, "makes the wire's two sides from their description; is in neither"},
	{[]string{"internal/tool/ui/guard"}, "which requests the page answers: it knows nothing of what is on the page"},
	{[]string{"internal/tool/ui"}, "the page shows what command lines answer, and changes by them: it decides nothing"},
	{[]string{"internal/tool/cli"}, "flags and printing: nothing below knows how it is asked for or shown"},
	{[]string{"internal/core/entry", "internal/core/entry/windows"}, "what the library calls: translated to C with all it reaches, and called by nobody else"},
	{[]string{"cmd/vkloader"}, "a program: nobody imports it"},
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
	for _, pack := range []string{"internal/tool/machine", "internal/tool/term", "internal/tool/environment", "internal/tool/doctor",
		"internal/tool/launch"} {
		if packages[pack] {
			t.Errorf("the core reaches %s", pack)
		}
	}
}

// The tool is one static file, and the core is translated: neither crosses to C. The functions of Windows take addresses of
// structures: one package calls them.
func TestNeitherCgoNorUnsafe(t *testing.T) {
	t.Parallel()
	for _, f := range sources(t) {
		for _, imported := range f.imports {
			if imported == "unsafe" && f.pack == "internal/tool/pc" && strings.HasSuffix(f.path, "_windows.go") {
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

// Files of the spine, the tests and the drivers: a first comment that says what the file does, lines of at most 120
// columns beside their texts, which stand on one line, at most 650 lines, nothing unfinished. The runtime of the
// translator, which becomes one file with what is translated, may be longer.
func TestCFiles(t *testing.T) {
	t.Parallel()
	for _, pattern := range []string{"spine/*.[ch]", "spine/*/*.[ch]", "spine/*/*/*.[ch]", "spine/asm/*/*.S", "test/*.[ch]", "test/*/*.[ch]", "test/*/*/*.[ch]", "drivers/*/*.[ch]", "layers/*/*.[ch]", "internal/tool/probe/child/*.[ch]", "tools/goc/runtime/c/*.[ch]"} {
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
	if n > 650 && !strings.Contains(path, "/goc/runtime/") {
		t.Errorf("%s has %d lines", path, n)
	}
}

// A doc.go holds its package's comment and nothing else, so that who looks for code does not look there.
func TestDocFilesHoldNoCode(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile(`(?m)^(import|const|var|type|func)\b`)
	for _, f := range sources(t) {
		if filepath.Base(f.path) == "doc.go" && code.MatchString(f.text) {
			t.Errorf("%s holds code", f.path)
		}
	}
}
