package component

import "vkloader/internal/containers/border"

// Stages of a lookup, each set when it is entered; a failure leaves the last one standing (FLS-063).
const (
	Uninitialized = "uninitialized"
	Created       = "created"
	Bound         = "bound"
	Reading       = "reading from package"
	OpenManifest  = "opening manifest"
	OpenLibrary   = "opening VMO"
	Initialized   = "initialized"
)

// Report is how far the lookup of a component has come.
type Report struct {
	Status         string
	CreateResponse uint32 // why the component was refused (FLS-064); 0: it was not
	BindResponse   uint32 // why its directories were (FLS-065)

	Version     uint32 // of its metadata, once that is accepted
	FilePath    string // likewise: the library, below contents
	LibraryPath string // that is published, once the manifest is accepted
	Manifest    string // that is published

	Library *Library // once it is initialized
}

// Library is a library's bytes.
type Library struct {
	border.Held // Backing: border.Sealed for a sealed copy, border.Clone for the package's own file (PRO-013)
	Size        int64
}
