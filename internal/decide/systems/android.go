package systems

import (
	"archive/zip"
	"bytes"
	encoding "encoding/binary"
	"io"
	"path"
	"strings"
	"unicode/utf16"

	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
)

// Android is a machine with Android, given by a copy of its file system, its properties and its global settings.
type Android struct {
	Machine    machine.Machine
	Properties Properties
	Package    string // of the program; "": a process that is no app
	Debuggable bool
	Bits       string

	// from the program's file
	libraryPath             string
	privileged, system      bool // an app of the system, a privileged one
	developer, injectLayers bool // its manifest has developerdriver.enable, injectLayers.enable
}

// debuggable reports whether the process may be debugged: the program, or all of a debuggable build.
func (a *Android) debuggable() bool { return a.Debuggable || a.Properties["ro.debuggable"] == "1" }

// page is the alignment of an uncompressed library in an APK.
const page = 4096

// maxLibrary is the number of bytes that are read of a library in an APK.
const maxLibrary = 256 << 20

func (a *Android) lib() string { return map[string]string{"64": "lib64", "32": "lib"}[a.Bits] }

// Loader returns the file of the loader; programs cannot choose another one (AND-001).
func (a *Android) Loader() string { return "/system/" + a.lib() + "/libvulkan.so" }

// abi returns the instruction set of the program's libraries.
func (a *Android) abi() string {
	for _, name := range []string{"ro.product.cpu.abilist" + a.Bits, "ro.product.cpu.abilist"} {
		if abi, _, _ := strings.Cut(a.Properties[name], ","); abi != "" {
			return abi
		}
	}
	if a.Bits == "32" {
		return "armeabi-v7a"
	}
	return "arm64-v8a"
}

// parts are the directories of installed packages; those of the system come first.
var parts = []string{"/system/priv-app", "/system/app", "/product/priv-app", "/product/app", "/vendor/app", "/data/app"}

// apk finds the file of a package, and the directory of parts with it. The file is in a directory with the package's
// name, to which the installer may add a suffix and a parent directory.
func (a *Android) apk(name string) (file, part string) {
	var find func(directory string, depth int) string
	find = func(directory string, depth int) string {
		entries, err := a.Machine.ReadDir(directory)
		if err != nil {
			return ""
		}
		for _, e := range machine.ByName(entries) {
			at := path.Join(directory, e.Name())
			if e.Name() == name || strings.HasPrefix(e.Name(), name+"-") {
				for _, candidate := range []string{"base.apk", name + ".apk"} {
					if a.Machine.Exists(path.Join(at, candidate)) {
						return path.Join(at, candidate)
					}
				}
			}
			if depth > 0 && e.IsDir() {
				if found := find(at, depth-1); found != "" {
					return found
				}
			}
		}
		return ""
	}
	for _, part := range parts {
		depth := 0
		if part == "/data/app" {
			depth = 1
		}
		if file = find(part, depth); file != "" {
			return file, part
		}
	}
	return "", ""
}

// packageInfo describes a package from its files. It does not read the target version in the package's manifest, and
// assumes a new one.
func (a *Android) packageInfo(name string) (androidPackage, bool) {
	file, part := a.apk(name)
	if file == "" {
		return androidPackage{}, false
	}
	p := androidPackage{Preinstalled: part != "/data/app", TargetSDK: 35, APK: file,
		LibraryPath: path.Join(path.Dir(file), "lib",
			map[string]string{"arm64-v8a": "arm64", "armeabi-v7a": "arm"}[a.abi()])}
	entries, found := a.List(file + "!/lib/" + a.abi())
	p.Fits = found && len(entries) > 0 || a.Machine.Exists(p.LibraryPath)
	return p, true
}

// inside reads a file of an APK; nil if there is none.
func (a *Android) inside(file, name string) []byte {
	var content []byte
	a.archive(file, func(z *zip.Reader) {
		if f, err := z.Open(name); err == nil {
			content, _ = io.ReadAll(io.LimitReader(f, 1<<20))
			f.Close()
		}
	})
	return content
}

// archive opens an APK; false if the file is not an APK.
func (a *Android) archive(file string, read func(*zip.Reader)) bool {
	f, err := a.Machine.Open(file)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false
	}
	z, err := zip.NewReader(f, info.Size())
	if err != nil {
		return false
	}
	read(z)
	return true
}

// says reports whether the manifest of an APK contains a metadata name. The metadata is assumed to be true.
func (a *Android) says(file, name string) bool {
	manifest := a.inside(file, "AndroidManifest.xml")
	// Append returns an error only for types without a fixed size
	wide, _ := encoding.Append(nil, encoding.LittleEndian, utf16.Encode([]rune(name)))
	return bytes.Contains(manifest, []byte(name)) || bytes.Contains(manifest, wide)
}

// List implements androidPlaces.
func (a *Android) List(name string) (list []androidEntry, found bool) {
	if file, below, zipped := strings.Cut(name, "!/"); zipped {
		found = a.archive(file, func(z *zip.Reader) {
			for _, f := range z.File {
				if path.Dir(f.Name) == below && !strings.HasSuffix(f.Name, "/") {
					offset, err := f.DataOffset()
					list = append(list, androidEntry{Name: path.Base(f.Name), Stored: f.Method == zip.Store,
						Aligned: err == nil && offset%page == 0})
				}
			}
		})
		return list, found
	}
	entries, err := a.Machine.ReadDir(name)
	for _, e := range machine.ByName(entries) {
		list = append(list, androidEntry{Name: e.Name(), Stored: true, Aligned: true})
	}
	return list, err == nil
}

var layerName = machine.Pattern{Text: `VK_LAYER_[A-Za-z0-9_]+`}

// Look implements androidPlaces from the library's exports and the layer names in its data.
func (a *Android) Look(name string) (androidLibrary, bool) {
	content := []byte(nil)
	if file, below, zipped := strings.Cut(name, "!/"); zipped {
		a.archive(file, func(z *zip.Reader) {
			if f, err := z.Open(below); err == nil {
				content, _ = io.ReadAll(io.LimitReader(f, maxLibrary))
				f.Close()
			}
		})
	} else if text, err := a.Machine.ReadLarge(name); err == nil {
		content = text
	}
	symbols, err := binary.ReadSymbols(bytes.NewReader(content))
	if err != nil {
		return androidLibrary{}, false
	}
	l := androidLibrary{HasLayers: symbols.Exports("vkEnumerateInstanceLayerProperties"),
		HasExtensions: symbols.Exports("vkEnumerateInstanceExtensionProperties")}
	known := map[string]bool{}
	for _, found := range layerName.Form().FindAll(content, -1) {
		if name := string(found); !known[name] {
			known[name] = true
			l.Layers = append(l.Layers, name)
		}
	}
	return l, true
}

// directories returns the directories in which a namespace of the linker finds drivers.
func (a *Android) directories(namespace, updatable string) []string {
	switch namespace {
	case "sphal":
		return []string{"/odm/" + a.lib() + "/hw", "/vendor/" + a.lib() + "/hw", "/system/" + a.lib() + "/hw"}
	case "updatable":
		return strings.Split(updatable, ":")
	}
	return []string{"/apex/" + a.Properties["ro.vulkan.apex"] + "/" + a.lib() + "/hw", "/apex/" +
		a.Properties["ro.vulkan.apex"] + "/" + a.lib()}
}

// Explain returns a program's driver and layers, the rejected drivers and layers with reasons, and notes.
func (a *Android) Explain() (in, out []explain.Item, notes []string) {
	in, out = []explain.Item{}, []explain.Item{}
	a.readProgram()
	selected := a.Select(a.packageInfo)
	var at string // the last library that exists
	driver := a.Choose(selected.Path, func(namespace, library string) androidOpened {
		at = ""
		for _, directory := range a.directories(namespace, selected.Path) {
			opened := a.hal(directory + "/" + library)
			if opened != androidNotFound {
				at = directory + "/" + library
			}
			if opened == androidWorks {
				return opened
			}
			if opened == androidInvalid {
				out = append(out, explain.Item{Kind: "driver", Name: library, Library: at, Statement: "AND-007",
					Code: "driver-interface", Why: "it exports no HAL information (HMI): nothing else is tried"})
				return opened
			}
		}
		out = append(out, explain.Item{Kind: "driver", Name: library, Statement: "AND-003", Code: "library-missing",
			Why: "there is none for namespace " + namespace})
		return androidNotFound
	})
	switch {
	case driver.Abort != "":
		notes = append(notes, "the process ends: "+driver.Abort+" (AND-005)")
	case driver.Origin != androidStub:
		in = append(in, explain.Item{Kind: "driver", Order: 1, Name: driver.Library, Library: at, Statement: "AND-004",
			Code: "driver-used", Why: string(driver.Origin) + ", in namespace " + driver.Namespace})
	default:
		notes = append(notes, "there is no driver: "+string(driver.Origin)+" (AND-008, AND-011)")
	}
	if selected.Package == "" {
		notes = append(notes, "no updatable driver: "+selected.Why)
	} else {
		notes = append(notes, "updatable driver of "+selected.Package+": "+selected.Why)
	}
	paths, missing := a.Paths(a.packageInfo)
	for _, name := range missing {
		notes = append(notes, "the package "+name+", which the settings name for layers, is not installed (AND-037)")
	}
	found := androidDiscover(paths, a)
	implicit, bySettings := a.Implicit()
	chain, complete := androidChain(implicit, found)
	why := "named by the properties debug.vulkan.layers and debug.vulkan.layer.N"
	if bySettings {
		why = "named by the setting gpu_debug_layers"
	}
	active := map[string]bool{}
	if !complete {
		notes = append(notes, "vkCreateInstance gives VK_ERROR_LAYER_NOT_PRESENT: not every one of "+
			strings.Join(implicit, ", ")+" is there (AND-043)")
	}
	for i, l := range chain {
		active[l.Name] = true
		in = append(in, explain.Item{Kind: "layer", Order: i + 1, Name: l.Name, Library: l.Library,
			Code: "layer-active", Statement: "AND-039, AND-040", Why: why})
	}
	for _, l := range found {
		if !active[l.Name] {
			out = append(out, explain.Item{Kind: "layer", Name: l.Name, Library: l.Library, Code: "layer-inactive",
				Statement: "AND-042", Why: "nothing enables it"})
		}
	}
	notes = append(notes, "the loader is "+a.Loader()+", whatever a program brings (AND-001)")
	notes = append(notes, "layers are looked for in "+strings.Join(paths, ", ")+" (AND-027 to AND-029)")
	return in, out, notes
}

// hal checks a file as a driver.
func (a *Android) hal(name string) androidOpened {
	file, err := a.Machine.Open(name)
	if err != nil {
		return androidNotFound
	}
	defer file.Close()
	symbols, err := binary.ReadSymbols(file)
	if err != nil || !symbols.Exports("HMI") {
		return androidInvalid
	}
	return androidWorks
}

// readProgram reads the properties of the program in its file.
func (a *Android) readProgram() {
	if file, part := a.apk(a.Package); a.Package != "" && file != "" {
		pack, _ := a.packageInfo(a.Package)
		a.libraryPath = pack.LibraryPath + ":" + file + "!/lib/" + a.abi()
		a.privileged, a.system = strings.HasSuffix(part, "priv-app"), part != "/data/app"
		a.injectLayers = a.says(file, "com.android.graphics.injectLayers.enable")
		a.developer = a.says(file, "com.android.graphics.developerdriver.enable")
	}
}
