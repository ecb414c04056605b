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
	"vkloader/internal/machines"
)

// ownDirectories returns the library directories of users without root rights, below the home directory, for programs of a word
// size.
func ownDirectories(class int) []string {
	m, _ := machines.Running(class)
	return []string{".local/lib", ".local/lib64", path.Join(".local/lib", m.Multiarch), "lib", "lib64"}
}

// withoutManifest returns the library of a device's driver that no manifest names, and the change that writes a manifest for
// it in the user's directory; "" if there is none.
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

// dataHome returns the home directory and the user's data directory; "" if there is none.
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

// manifestOf returns a change that writes a driver manifest into a data directory.
func manifestOf(data, name, library, version string) explain.Change {
	text, err := json.Marshal(map[string]any{"file_format_version": "1.0.0",
		"ICD": map[string]any{"library_path": library, "api_version": version}})
	if err != nil {
		return explain.Change{}
	}
	return explain.AddFile(path.Join(data, "vulkan/icd.d", name), string(text)+"\n")
}

// portable returns a change that writes a user manifest for the first portability driver found. Programs then get the driver
// without enabling VK_KHR_portability_enumeration. It returns false if there is no driver or no directory.
func (e *keptExam) portable() (write explain.Change, ok bool) {
	_, data := e.dataHome()
	for i := range e.plan.Diagnostics {
		f := &e.plan.Diagnostics[i]
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

// driverLibrary returns a driver library for the examined programs from the linker's or the user's library directories.
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
		for _, directory := range ownDirectories(e.class) {
			if file := path.Join(home, directory, name); e.machine.Exists(file) && usable(e.linker.Open(file)) {
				return file
			}
		}
	}
	return ""
}
