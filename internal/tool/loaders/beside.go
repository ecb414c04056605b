package loaders

import (
	"bytes"
	"strings"

	"vkloader/internal/tool/binary"
	"vkloader/internal/tool/machine"
)

// WindowsName is what programs for Windows ask for.
const WindowsName = "vulkan-1.dll"

// ownProduct is what the resources of this project's DLL name.
const ownProduct = "vkloader"

// beside is the loader in a program's own directory, where Windows looks before the system's; nil where there is none that the
// program can load.
func beside(source *machine.Source) *Loader {
	if source.Program == "" {
		return nil
	}
	at := machine.Style.Directory(source.Program) + WindowsName
	data, err := source.ReadLarge(source.Path(at))
	if err != nil {
		return nil
	}
	file, err := binary.ReadPE(bytes.NewReader(data))
	if err != nil || source.Class != 0 && file.Class != source.Class {
		return nil
	}
	l := ofDLL(at, file, data)
	l.rule, l.Rule = binary.ByProgram, ruleNames[binary.ByProgram]
	return l
}

// ofDLL says which loader a DLL is: by its resources, else by its text.
func ofDLL(at string, file *binary.PE, data []byte) *Loader {
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
	for mark := range l.texts { // a path is written in another way here, and a field of a file may be
		if !strings.HasPrefix(mark, "VK_") {
			delete(l.texts, mark)
		}
	}
	return l
}
