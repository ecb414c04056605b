package doctor

import (
	"encoding/json"
	"path"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/drivers"
	"vkloader/internal/tool/explain"
)

// ownDirectories are where users without root put libraries, below their home directory.
var ownDirectories = []string{".local/lib", ".local/lib64", ".local/lib/x86_64-linux-gnu", "lib", "lib64"}

// withoutManifest finds the library of a driver for a device that no manifest names, and the manifest that the user can
// write for it; "" without one.
func (e *exam) withoutManifest(g *GPU) (library string, write explain.Change) {
	home, _ := e.machine.Lookup(variables.Home.Name())
	data, _ := e.machine.Lookup(variables.DataHome.Name())
	if data == "" {
		data = path.Join(home, ".local/share")
	}
	if !path.IsAbs(home) || !path.IsAbs(data) || strings.Contains(data, ":") {
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
			text, err := json.Marshal(map[string]any{"file_format_version": "1.0.0",
				"ICD": map[string]any{"library_path": file, "api_version": "1.3.0"}})
			if err != nil {
				return "", write
			}
			return file, explain.AddFile(path.Join(data, "vulkan/icd.d", stem+".json"), string(text)+"\n")
		}
	}
	return "", write
}

// driverLibrary is a file that is a driver for these programs, where the dynamic linker looks or users put libraries.
func (e *exam) driverLibrary(home, stem string) string {
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
