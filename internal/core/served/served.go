package served

import "vkloader/internal/core/document"

// Limits of what is read. A driver with all that it needs has some forty files.
const (
	maxDrivers  = 64
	maxFiles    = 1024
	maxName     = 255
	maxFileSize = 1<<32 - 1
)

// File is a file that the service hands out.
type File struct {
	Number uint32 // by which it is asked for
	Name   string // by which other libraries need it
	Size   uint32 // in bytes
}

// Driver is a driver that the service offers.
type Driver struct {
	Name     string // of its manifest, without a directory; empty when it has none that can be used
	Manifest string // the text
	Files    []File // dependencies first, the driver's own library last; empty when it is refused
	Why      string // why it is refused
}

// Read reads the service's answer and the index that came with it. Why is not empty where the service has no drivers to
// offer because of what it says; the drivers are those that it lists, in its order, the refused ones too.
func Read(answer, index string) (drivers []Driver, why string) {
	size, why := readAnswer(answer)
	if why != "" {
		return nil, why
	}
	if size != float64(len(index)) {
		return nil, "its index is not as long as it says"
	}
	doc, fault := document.Parse(index)
	if fault != nil {
		return nil, "its index is no JSON"
	}
	top := doc.Top()
	if format, ok := top.Member("format").Number(); !ok || format != 1 {
		return nil, "its index is of a format that is not known"
	}
	files, ok := readFiles(top.Member("files"))
	list := top.Member("drivers")
	if !ok || list.Kind() != document.Array {
		return nil, "its index is not as it should be"
	}
	for v := list.First(); v.Exists(); v = v.Next() {
		if len(drivers) == maxDrivers {
			return nil, "its index has too many drivers"
		}
		drivers = append(drivers, readDriver(v, files))
	}
	return drivers, ""
}

// readAnswer gives the size of the index by the answer to the first request of a connection.
func readAnswer(answer string) (size float64, why string) {
	doc, fault := document.Parse(answer)
	if fault != nil {
		return 0, "its answer is no JSON"
	}
	top := doc.Top()
	if refusal := top.Member("error"); refusal.Exists() {
		if name, ok := refusal.Member("name").Text(); ok && IsName(name) {
			return 0, "it refuses: " + name
		}
		return 0, "it refuses"
	}
	id, isNumber := top.Member("id").Number()
	size, hasSize := top.Member("ok").Member("index").Member("size").Number()
	beside := top.Member("fds").First()
	name, _ := beside.Text()
	if !isNumber || id != 1 || !hasSize || name != "index" || beside.Next().Exists() {
		return 0, "its answer is not as it should be"
	}
	return size, ""
}

// readFiles reads the list of files. One that cannot be used has the size 0; false where the list is none at all.
func readFiles(list document.Value) (files []File, ok bool) {
	if list.Kind() != document.Array {
		return nil, false
	}
	for v := list.First(); v.Exists(); v = v.Next() {
		if len(files) == maxFiles {
			return nil, false
		}
		f := File{Number: uint32(len(files))}
		if name, ok := v.Member("soname").Text(); ok && name != "" {
			f.Name = name
		} else {
			f.Name, _ = v.Member("name").Text()
		}
		if size, ok := v.Member("size").Number(); ok && size >= 1 && size <= maxFileSize && IsName(f.Name) {
			f.Size = uint32(size)
		}
		files = append(files, f)
	}
	return files, true
}

// readDriver reads one driver, or says what is wrong with it.
func readDriver(v document.Value, files []File) (d Driver) {
	name, _ := v.Member("name").Text()
	if !IsName(name) {
		d.Why = "it has no name that a manifest can have"
		return d
	}
	d.Name = name
	text, ok := v.Member("manifest").Text()
	if !ok {
		d.Why = "it comes without a manifest"
		return d
	}
	d.Manifest = text
	taken := make([]bool, len(files))
	for n := v.Member("files").First(); n.Exists(); n = n.Next() {
		at, ok := indexOf(n, len(files))
		switch {
		case !ok:
			d.Why = "it needs a file that is not in the index"
		case taken[at]:
			d.Why = "it needs a file twice"
		case files[at].Size == 0:
			d.Why = "it needs a file whose name or size is not possible"
		}
		if d.Why != "" {
			d.Files = nil
			return d
		}
		taken[at] = true
		d.Files = append(d.Files, files[at])
	}
	library, ok := indexOf(v.Member("library"), len(files))
	if last := len(d.Files) - 1; last < 0 || !ok || d.Files[last].Number != uint32(library) {
		d.Files, d.Why = nil, "its library is not the last of its files"
	}
	return d
}

// indexOf reads a number of a list.
func indexOf(v document.Value, length int) (int, bool) {
	number, ok := v.Number()
	if !ok || !(number >= 0 && number < float64(length)) || number != float64(int(number)) {
		return 0, false
	}
	return int(number), true
}

// IsName tells whether a text can be a file's name, for people and for the dynamic linker: printable ASCII without a
// slash.
func IsName(name string) bool {
	if name == "" || len(name) > maxName {
		return false
	}
	for i := 0; i < len(name); i++ {
		if c := name[i]; c <= ' ' || c >= 0x7f || c == '/' || c == '$' {
			return false
		}
	}
	return true
}
