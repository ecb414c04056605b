package component

import "vkloader/internal/containers/border"

// Stages of a lookup. Each is set on entry; a failed lookup keeps the last one (FLS-063).
const (
	Uninitialized = "uninitialized"
	Created       = "created"
	Bound         = "bound"
	Reading       = "reading from package"
	OpenManifest  = "opening manifest"
	OpenLibrary   = "opening VMO"
	Initialized   = "initialized"
)

// Report is the progress of a component's lookup.
type Report struct {
	Status         string
	CreateResponse uint32 // the reason for refusing the component (FLS-064); 0: it was not refused
	BindResponse   uint32 // the reason for refusing its directories (FLS-065); 0: they were not refused

	Version     uint32 // of the metadata, once accepted
	FilePath    string // of the library, below contents, once the metadata is accepted
	LibraryPath string // of the published library, once the manifest is accepted
	Manifest    string // the published manifest

	Library *Library // set once the library is initialized
}

// Library is a library's bytes.
type Library struct {
	border.Held // Backing: border.Sealed for a sealed copy, border.Clone for the package's own file (PRO-013)
	Size        int64
}
