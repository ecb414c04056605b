// Command work makes decisions with large installations and writes how often each block of the core was executed. It is built with
// counters (go build -cover -covermode=atomic); the tests of test/loader/scale call it.
//
//	work DIRECTORY N   writes a directory of counters for each scenario below DIRECTORY, each with N objects
//	work serve      answers questions on standard input, see serve
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime/coverage"
	"strconv"
	"strings"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/wire"
	"vkloader/test/lib/inmemory"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "serve" {
		fail(serve(os.Stdin, os.Stdout))
		return
	}
	if len(os.Args) != 3 {
		fail(fmt.Errorf("usage: work DIRECTORY N, or work serve"))
	}
	n, err := strconv.Atoi(os.Args[2])
	fail(err)
	for _, s := range scenarios {
		w := &world{
			Tree: inmemory.Tree{Vars: map[string]string{"HOME": "/h"}, Files: map[string]string{},
				Directories: map[string][]string{}, Program: "/bin/program"},
			kind: plan.Instance,
		}
		s.make(w, n)
		fail(coverage.ClearCounters())
		got := w.decide()
		directory := filepath.Join(os.Args[1], s.name)
		fail(os.MkdirAll(directory, 0o755))
		fail(coverage.WriteCountersDir(directory))
		fail(coverage.WriteMetaDir(directory))
		fmt.Println(s.name, got)
	}
}

func fail(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "work:", err)
		os.Exit(1)
	}
}

// world is an installation in memory, and the request of the program.
type world struct {
	inmemory.Tree
	kind               plan.Kind
	layers, extensions []wire.Str
	layerName          wire.Str
	drivers            int // opened drivers, for the second question
	driverExtensions   int // of each driver
}

var platform = search.Linux()

// decide asks the core through the wire, like the spine, and returns the decision as text.
func (w *world) decide() string {
	message, call := &wire.Writer{}, wire.NewCall(platform)
	question := wire.Question{Kind: uint32(w.kind), LayerName: w.layerName}
	message.PutQuestion(question)
	message.PutApp(wire.App{LayerCount: uint32(len(w.layers)), Layers: w.layers,
		ExtCount: uint32(len(w.extensions)), Exts: w.extensions})
	for i := range w.drivers {
		message.PutDriver(wire.Driver{Index: uint32(i), Usable: 1, Path: wire.S(fmt.Sprint("driver", i))})
		for e := range w.driverExtensions {
			message.PutDriverExt(wire.DriverExt{Driver: uint32(i), Name: wire.S(fmt.Sprintf("VK_x_%d_%d", i, e))})
		}
	}
	for round := 1; ; round++ {
		answer, ok := call.Decide(string(message.Bytes()))
		if round > 10 || !ok {
			return fmt.Sprintf("no decision in round %d", round)
		}
		message.Reset()
		message.PutQuestion(question)
		if got, done := w.reply(message, string(answer)); done {
			return got
		}
	}
}

// reply sends the facts that an answer needs; done reports whether it needs none.
func (w *world) reply(message *wire.Writer, answer string) (got string, done bool) {
	r, _ := wire.Open(answer)
	done = true
	result, count := int32(0), map[uint32]int{}
	for rec, more := r.Next(); more; rec, more = r.Next() {
		count[rec.ID]++
		switch rec.ID {
		case wire.IDAnswer:
			v, _ := rec.Answer()
			result, done = v.Result, v.Status != 0
		case wire.IDNeedVar:
			v, _ := rec.NeedVar()
			value := w.Var(v.Name.Text, v.Secure != 0)
			message.PutVar(wire.Var{Name: v.Name, Secure: v.Secure, Value: wire.Str{Text: value.Value, Set: value.Set}})
		case wire.IDNeedDirectory:
			v, _ := rec.NeedDirectory()
			directory := wire.Directory{Path: v.Path}
			names, ok := w.Directories[v.Path.Text]
			if !ok {
				directory.Status = 1
			}
			for _, name := range names {
				directory.Names = append(directory.Names, wire.S(name))
			}
			message.PutDirectory(directory)
		case wire.IDNeedFile:
			v, _ := rec.NeedFile()
			f := w.File(v.Path.Text)
			message.PutFile(wire.File{Path: v.Path, Status: uint32(f.Status), Content: wire.S(f.Content)})
		case wire.IDNeedExe:
			message.PutExe(wire.Exe{Path: wire.S(w.Program)})
		case wire.IDNeedExists:
			v, _ := rec.NeedExists()
			yes := uint32(0)
			if w.Exists(v.Path.Text) {
				yes = 1
			}
			message.PutExists(wire.Exists{Path: v.Path, Yes: yes})
		}
	}
	return fmt.Sprintf("result=%d layers=%d active=%d drivers=%d extensions=%d", result, count[wire.IDLayer],
		count[wire.IDActive], count[wire.IDOpenDriver], count[wire.IDExt]), done
}

const (
	implicitDirectory = "/usr/share/vulkan/implicit_layer.d"
	explicitDirectory = "/usr/share/vulkan/explicit_layer.d"
	driverDirectory   = "/usr/share/vulkan/icd.d"
	settingsPath      = "/h/.config/vulkan//loader_settings.d/vk_loader_settings.json"
)

// put writes a file and lists it in its directory.
func (w *world) put(directory, name, text string) {
	w.Files[directory+"/"+name] = text
	w.Directories[directory] = append(w.Directories[directory], name)
}

func layerText(name, more string) string {
	return `{"file_format_version":"1.2.0","layer":` + layerObject(name, more) + `}`
}

func layerObject(name, more string) string {
	return `{"name":"` + name + `","type":"INSTANCE","api_version":"1.3.0","implementation_version":"1","description":"d",` +
		`"disable_environment":{"NO_` + name + `":""}` + more + `}`
}

func name(i int) string { return fmt.Sprintf("VK_LAYER_%06d", i) }

const library = `,"library_path":"./lib.so"`

func (w *world) driver(i int) {
	w.put(driverDirectory, fmt.Sprintf("d%06d.json", i),
		`{"file_format_version":"1.0.1","ICD":{"library_path":"lib.so","api_version":"1.3.0"}}`)
}

// joined returns count texts, with a separator in between.
func joined(n int, separator string, one func(i int) string) string {
	list := make([]string, n)
	for i := range list {
		list[i] = one(i)
	}
	return strings.Join(list, separator)
}

func quoted(i int) string { return `"` + name(i) + `"` }
