package doctor

import (
	"encoding/json"
	"path"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
)

// ownDirectories are where users without root put libraries, below their home directory.
var ownDirectories = []string{".local/lib", ".local/lib64", ".local/lib/x86_64-linux-gnu", "lib", "lib64"}

// withoutManifest finds the library of a driver for a device that no manifest names, and the manifest that the user can
// write for it; "" without one.
func (e *libraryExam) withoutManifest(g *GPU) (library string, write explain.Change) {
	home, data := e.dataHome()
	if data == "" {
		return "", write
	}
	for _, f := range drivers.Families() {
		if !f.WorksOn(g.Kernel) {
			continue
		}
		for _, stem := range f.Libraries {
			file := e.driverLibrary(home, stem)
			if file == "" {
				continue
			}
			return file, manifestOf(data, stem+".json", file, "1.3.0")
		}
	}
	return "", write
}

// dataHome are the home directory, and the user's own directory of data; "": there is none.
func (h host) dataHome() (home, data string) {
	home, _ = h.machine.Lookup(variables.Home.Name())
	if data, _ = h.machine.Lookup(variables.DataHome.Name()); data == "" {
		data = path.Join(home, ".local/share")
	}
	if !path.IsAbs(home) || !path.IsAbs(data) || strings.Contains(data, ":") {
		return "", ""
	}
	return home, data
}

// manifestOf writes a driver's manifest into a directory of data.
func manifestOf(data, name, library, version string) explain.Change {
	text, err := json.Marshal(map[string]any{"file_format_version": "1.0.0",
		"ICD": map[string]any{"library_path": library, "api_version": version}})
	if err != nil {
		return explain.Change{}
	}
	return explain.AddFile(path.Join(data, "vulkan/icd.d", name), string(text)+"\n")
}

// portable is a manifest of the user's for the first portability driver that is there, with which programs get it that do not
// ask for such drivers. False: there is none, or no directory for it.
func (e *keptExam) portable() (write explain.Change, ok bool) {
	_, data := e.dataHome()
	for i := range e.plan.Findings {
		f := &e.plan.Findings[i]
		if f.Code != diag.DriverPortability || data == "" {
			continue
		}
		text, err := e.machine.ReadFile(f.Path)
		manifest := struct {
			ICD struct {
				Library string `json:"library_path"`
				Version string `json:"api_version"`
			}
		}{}
		if err != nil || json.Unmarshal(text, &manifest) != nil || manifest.ICD.Library == "" {
			continue
		}
		library := manifest.ICD.Library
		if strings.Contains(library, "/") && !path.IsAbs(library) {
			library = path.Join(path.Dir(f.Path), library)
		}
		return manifestOf(data, "portable_"+path.Base(f.Path), library, manifest.ICD.Version), true
	}
	return write, false
}

// driverLibrary is a file that is a driver for these programs, where the dynamic linker looks or users put libraries.
func (e *libraryExam) driverLibrary(home, stem string) string {
	names := []string{stem + ".so", stem + ".so.0"}
	usable := func(f *binary.File) bool {
		return f != nil && f.Err() == nil && f.ELF != nil && f.Class == e.class && f.Machine == binary.Processor(e.class) &&
			f.Symbols().Exports("vk_icdGetInstanceProcAddr")
	}
	for _, name := range names {
		if found := e.linker.Find(name); usable(found.File) {
			return found.File.Path
		}
		for _, directory := range ownDirectories {
			if file := path.Join(home, directory, name); e.machine.Exists(file) && usable(e.linker.Open(file)) {
				return file
			}
		}
	}
	return ""
}
