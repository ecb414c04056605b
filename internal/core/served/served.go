package served

import "vkloader/internal/core/document"

// Limits. A driver with all its dependencies has about forty files.
const (
	maxDrivers  = 64
	maxFiles    = 1024
	maxName     = 255
	maxFileSize = 1<<32 - 1
)

// File is a file that the service provides.
type File struct {
	Number uint32 // the number that requests use
	Name   string // the name that other libraries use in DT_NEEDED
	Size   uint32 // in bytes
}

// Driver is a driver that the service offers.
type Driver struct {
	Name     string // of the manifest, without directory; empty if it is invalid
	Manifest string // the text of the manifest
	Files    []File // dependencies first, the driver's library last; empty if the driver is rejected
	Why      string // the reason for a rejection
}

// Read parses the service's answer and its index. It returns the listed drivers in their order, including rejected
// ones. If the answer or index is invalid, or an error, why is the reason.
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

// readAnswer returns the size of the index from the answer to the first request of a connection.
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

// readFiles parses the list of files. An invalid file has the size 0. It returns false if there is no valid list.
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

// readDriver parses one driver. If it is invalid, Why is the reason.
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

// indexOf parses an index into a list of the given length.
func indexOf(v document.Value, length int) (int, bool) {
	number, ok := v.Number()
	if !ok || !(number >= 0 && number < float64(length)) || number != float64(int(number)) {
		return 0, false
	}
	return int(number), true
}

// IsName reports whether a text is valid as a file name, for users and for the dynamic linker: printable ASCII without
// slash and dollar sign.
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
