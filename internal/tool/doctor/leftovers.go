package doctor

import (
	"path"
	"slices"
	"strings"
	"time"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/drivers"
	"vkloader/internal/tool/explain"
)

// leftovers finds what a configurator switches on for every program until somebody takes it away: the override layer
// and the settings file. In force or broken, it is worth knowing of.
func (e *settingsExam) leftovers() {
	seen := map[string]bool{}
	for _, f := range e.plan.Findings {
		override := f.Subject == manifest.OverrideName
		if f.Path == "" || seen[f.Path] || !override {
			continue
		}
		seen[f.Path] = true
		e.found(LeftoverOverride, f.Subject, f.Path, e.overriding(f.Path), nil).offer(fixing, explain.RemoveFile(path.Clean(f.Path)))
	}
	e.settings()
	e.order()
}

// overriding is what an override layer does to every program, as far as it can be read.
func (e *settingsExam) overriding(file string) fact {
	written := since(e.written(file))
	for _, l := range e.plan.Layers {
		if l.IsOverride() && l.Manifest == file {
			return overriding(l.Components, l.OverridePaths) + written
		}
	}
	for _, f := range e.plan.Findings {
		if f.Path == file && (f.Code == diag.MetaInvalid || f.Code == diag.OverrideRejected) {
			return sentence("it is not in force, because it is not valid: "+f.What) + written
		}
	}
	return "it is not in force" + written
}

// written is since when a file is as it is; zero for a foreign machine, whose files have the times of their copying.
func (h host) written(file string) time.Time {
	info, err := h.machine.Stat(file)
	if err != nil || h.machine.Foreign() {
		return time.Time{}
	}
	return info.ModTime()
}

// Loader is a Vulkan loader that a program could get.
type Loader struct {
	File    string `json:"file"`              // without symbolic links
	Name    string `json:"name"`              // as the dynamic linker finds it
	Vulkan  string `json:"vulkan,omitempty"`  // the highest version whose commands it exports, as 1.3
	Version string `json:"version,omitempty"` // from the file's name
	First   bool   `json:"first"`             // what a program gets that asks for libvulkan.so.1
	Own     bool   `json:"own"`               // the one that belongs to this tool
	Signer  string `json:"signer,omitempty"`  // on Windows: the name in the certificate that the file is signed with
	Altered bool   `json:"altered,omitempty"` // the file has been changed since
}

// marks are commands that came with a version of Vulkan.
var marks = []struct{ version, command string }{
	{"1.4", "vkCmdPushConstants2"}, {"1.3", "vkCmdBeginRendering"}, {"1.2", "vkCreateRenderPass2"},
	{"1.1", "vkEnumerateInstanceVersion"}, {"1.0", "vkCreateInstance"},
}

const loaderName = "libvulkan.so.1"

// loaders lists the loaders that the dynamic linker finds, the one that a program gets first, and those in the
// directory of the program that is examined.
func (e *loaderExam) loaders() {
	add := func(name string, first bool) {
		f := e.linker.Open(name)
		if f.Err() != nil || f.ELF == nil || f.Class != e.class || f.Machine != binary.Processor(e.class) ||
			slices.ContainsFunc(e.Loaders, func(l Loader) bool { return l.File == f.Real }) {
			return
		}
		l := Loader{File: f.Real, Name: name, First: first, Own: f.Real == e.options.Library && !e.machine.Foreign()}
		for _, m := range marks {
			if f.Symbols().Exports(m.command) {
				l.Vulkan = m.version
				break
			}
		}
		if _, version, ok := strings.Cut(search.BaseName(f.Real), ".so."); ok && strings.Contains(version, ".") {
			l.Version = version
		}
		e.Loaders = append(e.Loaders, l)
	}
	first := e.linker.FindFor(loaderName)
	if first.File != nil {
		add(first.File.Path, e.Loader == nil || !e.Loader.Inside)
	}
	for _, place := range e.linker.Everywhere(loaderName) {
		add(place, false)
	}
	if program := e.source.Program; program != "" {
		directory := search.Directory(program)
		for _, sub := range []string{"", "lib/", "lib64/", "../lib/", "bin/"} {
			for _, name := range e.machine.Names(directory + sub) {
				if name == loaderName || strings.HasPrefix(name, loaderName+".") {
					add(directory+sub+name, false)
				}
			}
		}
	}
	if e.Loader == nil || !e.Loader.Inside { // otherwise none of them is the program's
		e.judgeLoaders(first)
	}
}

func (e *loaderExam) judgeLoaders(first binary.Result) {
	if first.File == nil {
		configured := e.configured(loaderName)
		if e.machine.Foreign() || e.options.Library == "" || e.class != ProcessClass {
			found := e.found(LoaderMissing, loaderName, "", loaderless(configured, ""), e.findable(loaderName))
			if e.system.is("nixos") { // there, every program names the directory of its own
				found.soften(diag.Note)
			}
		} else {
			e.found(LoaderMissing, loaderName, "", loaderless(configured, e.options.Library), nil).offer(fixing,
				e.libraryPath(strings.TrimSuffix(search.Directory(e.options.Library), "/")))
		}
		return
	}
	if file := first.File; file.Err() != nil || !file.Symbols().Exports("vkCreateInstance") {
		owner, what := e.packageOf(file.Real), said("programs load %s, but it is not a Vulkan loader", file.Path)
		if err := drivers.Cause(file.Err()); err != nil {
			what += said(": %v", err)
		}
		found := e.found(LoaderBroken, loaderName, file.Path, what, e.system.again(owner, file.Path))
		if owner == "" && (!e.machine.Foreign() || len(e.linker.Everywhere(loaderName)) > 1) {
			found.offer(fixing, explain.RemoveFile(path.Clean(file.Path)))
		}
		if value := e.variable("LD_LIBRARY_PATH"); value != "" {
			found.offer(fixing, explain.UnsetVariable("LD_LIBRARY_PATH"))
		}
	}
	if len(e.Loaders) == 0 {
		return
	}
	others := e.linker.Find(loaderName) // what other programs get
	newest := slices.MaxFunc(e.Loaders, func(a, b Loader) int {
		return binary.CompareVersions(a.Vulkan, b.Vulkan)
	})
	for _, l := range e.Loaders {
		switch {
		case l.besides(e.source.Program):
			var do advice
			if others.File != nil && others.File.Real != l.File {
				do = removeLoader(l.Name, others.File.Path)
			}
			found := e.found(LoaderBundled, loaderName, l.Name, bundled(&l, l.First), do)
			if binary.CompareVersions(l.Vulkan, newest.Vulkan) >= 0 {
				found.soften(diag.Note)
			}
		case l.First && binary.CompareVersions(l.Vulkan, newest.Vulkan) < 0:
			e.found(LoaderOld, loaderName, l.Name, said(olderLoader, l.words(), newest.File, newest.Vulkan), removeLoader(l.Name, ""))
		case !l.First:
			e.found(LoaderOther, loaderName, l.Name, said(otherLoader, l.words(), first.File.Path), nil)
		}
	}
}

// libraryPath puts a directory first in LD_LIBRARY_PATH.
func (h host) libraryPath(directory string) explain.Change {
	if value := h.variable("LD_LIBRARY_PATH"); value != "" {
		directory += ":" + value
	}
	return explain.SetVariable("LD_LIBRARY_PATH", directory)
}

// besides tells whether a loader is in the directory of a program.
func (l *Loader) besides(program string) bool {
	return program != "" && strings.HasPrefix(l.Name, search.Directory(program))
}
