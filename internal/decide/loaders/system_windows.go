package loaders

import (
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/windows"
)

// systemLoader returns the loader that a program gets on the running Windows.
func systemLoader(source *machine.Source) (l *Loader, decided bool) {
	return OfWindows(source.Program, windows.SystemDirectory(source.Bits()), source.Class, reading(source)), true
}

// LoadedDLL returns the loader in a file that a process has loaded; nil: the file cannot be read.
func LoadedDLL(source *machine.Source, file string) *Loader {
	return readDLL(file, source.Class, reading(source))
}

func reading(source *machine.Source) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) { return source.ReadLarge(source.Path(name)) }
}
