package quarantine

import "path/filepath"

// Named tells whether people mean the quarantine by a name: of the driver or layer, of its manifest, or of the one program
// that it is for, each also without directories.
func (e *Entry) Named(name string) bool {
	for _, own := range []string{e.Name, e.Manifest, e.Program} {
		if own != "" && (name == own || name == filepath.Base(own)) {
			return true
		}
	}
	return false
}

// IsFor tells whether it is for a program alone, by the path of its executable or by the last part of that.
func (e *Entry) IsFor(program string) bool {
	return e.Program != "" && (program == e.Program || program == filepath.Base(e.Program))
}
