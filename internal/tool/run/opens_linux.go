package run

import (
	"bytes"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
)

// loaderNames lists the names that programs open as the loader.
var loaderNames = []string{loaders.Name, "libvulkan.so"}

// loaderPath matches a string constant that is a path of a loader.
var loaderPath = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[ -~\x80-\xff]*/libvulkan\.so(\.1)?\x00`) })

// OtherLoaders returns a warning for each loader file that a program opens in place of the tool's own library. The dynamic
// linker finds such a file by DT_RPATH or LD_PRELOAD, or the program opens it by a path in its file, in a library that it
// needs, or in its own directory. Only a run shows a path that the program computes in another way.
func OtherLoaders(source *machine.Source, own string) (warnings []string) {
	linker := loaders.Linker(source)
	if !loaders.StaticOf(linker).Gets() || linker.Program() == nil || linker.Program().Err() != nil {
		return nil
	}
	program := linker.Program()
	var found []os.FileInfo
	if info, err := os.Stat(own); err == nil {
		found = append(found, info)
	}
	add := func(file, format string, args ...any) {
		info, err := os.Stat(file)
		if err == nil && !slices.ContainsFunc(found, func(one os.FileInfo) bool { return os.SameFile(one, info) }) {
			found = append(found, info)
			warnings = append(warnings, source.Program+" "+fmt.Sprintf(format, args...))
		}
	}
	constants, names := loaderConstants(linker, program)
	for _, name := range loaderNames {
		if name != loaders.Name && !names { // the program opens no library by this name
			continue
		}
		if r := linker.FindFor(name); r.File != nil && r.File.Err() == nil {
			text := "gets %s, not %s"
			if why := loaders.Reason(r.Rule); why != "" {
				text += ": " + why
			}
			add(r.File.Path, text, r.File.Path, own)
		}
	}
	for _, c := range constants {
		name := c.name
		if !path.IsAbs(name) && !strings.Contains(name, "$") {
			name, _ = filepath.Abs(name)
		}
		if r := linker.Find(name, c.by); r.File != nil && r.File.Err() == nil && linker.Fits(r.File) {
			add(r.File.Path, "may open %s, not %s: its path is in %s", r.File.Path, own, c.by.Path)
		}
	}
	for _, name := range loaderNames {
		beside := filepath.Join(filepath.Dir(program.Path), name)
		if f := linker.Open(beside); f.Err() == nil && linker.Fits(f) {
			add(beside, "may open %s, not %s: it is in the program's directory", beside, own)
		}
	}
	return warnings
}

// constant is a string in a program or library.
type constant struct {
	name string
	by   *binary.File
}

// loaderConstants returns the paths of loaders in a program and in the libraries that it needs. names reports whether one of
// these files has the name of a loader.
func loaderConstants(linker *binary.Linker, program *binary.File) (paths []constant, names bool) {
	for _, f := range linker.Follow(program).Files {
		base := path.Base(f.Real)
		if f.Err() != nil || strings.HasPrefix(base, "libvulkan.so") || slices.Contains(systemLibraries, stem(base)) {
			continue
		}
		data := f.Constants()
		if !bytes.Contains(data, []byte("libvulkan.so")) {
			continue
		}
		names = true
		for _, text := range loaderPath().FindAll(data, 64) {
			paths = append(paths, constant{string(text[:len(text)-1]), f})
		}
	}
	return paths, names
}

// systemLibraries lists libraries of the C library, which open no loader.
var systemLibraries = []string{"libc", "libm", "libdl", "libpthread", "librt", "libgcc_s", "libstdc++", "ld-linux-x86-64"}

// stem returns a library's name up to ".so".
func stem(base string) string {
	base, _, _ = strings.Cut(base, ".so")
	return base
}

// look reads the mapped files of a process and of its children. It takes at most a tenth of the time between two calls.
func (o *LoaderUse) look(pid int) {
	if o == nil || o.Used || o.Other != "" || time.Now().Before(o.next) {
		return
	}
	began := time.Now()
	for _, pid := range process.Here.Family(pid) {
		for _, m := range process.Here.LoadersOf(pid) {
			if sameFile(fmt.Sprintf("/proc/%d/root%s", pid, m.Path), o.Own) {
				o.Used = true
			} else {
				o.Other = m.Path
			}
		}
	}
	now := time.Now()
	o.next = now.Add(9 * now.Sub(began))
}

func sameFile(a, b string) bool {
	one, err := os.Stat(a)
	if err != nil {
		return false
	}
	other, err := os.Stat(b)
	return err == nil && os.SameFile(one, other)
}
