package loaders

import (
	"bytes"
	"strings"

	"vkloader/internal/core/pathname"
	"vkloader/internal/decide/binary"
)

// WindowsName is the name under which programs for Windows load the loader.
const WindowsName = "vulkan-1.dll"

// ownProduct is the product name in the resources of this project's DLL.
const ownProduct = "vkloader"

// wineProduct is the product name in the resources of Wine's DLL. It reads no manifests, but calls Linux's loader.
const wineProduct = "Wine Vulkan"

// OfWindows returns the loader that a program for Windows gets: the one in the program's directory, else the one in the
// system's. It returns nil if the program can load neither. class 0 means any word size. read reads a file by the path
// that the program has for it.
func OfWindows(program, system string, class int, read func(name string) ([]byte, error)) *Loader {
	if program != "" {
		if l := readDLL(pathname.Backslash.Directory(program)+WindowsName, class, read); l != nil {
			l.rule, l.Rule = binary.ByProgram, ruleNames[binary.ByProgram]
			return l
		}
	}
	l := readDLL(system+`\`+WindowsName, class, read)
	if l != nil {
		l.rule, l.Rule = binary.BySystem, ruleNames[binary.BySystem]
	}
	return l
}

// readDLL returns the loader in a file. It returns nil for a file that programs of the word size cannot load, and for
// Wine's, which reads no manifests.
func readDLL(at string, class int, read func(name string) ([]byte, error)) *Loader {
	data, err := read(at)
	if err != nil {
		return nil
	}
	file, err := binary.ReadPE(bytes.NewReader(data))
	if err != nil || class != 0 && file.Class != class || file.Product == wineProduct {
		return nil
	}
	return identifyDLL(at, file, data)
}

// identifyDLL identifies the loader in a DLL by its resources, or else by its text.
func identifyDLL(at string, file *binary.PE, data []byte) *Loader {
	l := &Loader{Path: at, File: at}
	if file.Product == ownProduct {
		l.Release = file.Release
	}
	if parts := strings.Split(file.Version, "."); len(parts) == 4 {
		l.Version, l.From = strings.Join(parts[:3], "."), FromResources
	} else if version := first(inText, data); version != "" {
		l.Version, l.From = version, FromText
	}
	l.read(data)
	// DLLs contain paths in another form, and fields of files perhaps too: only the names of variables count
	for mark := range l.texts {
		if !strings.HasPrefix(mark, "VK_") {
			delete(l.texts, mark)
		}
	}
	return l
}
