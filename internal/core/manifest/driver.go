package manifest

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/core/served"
)

// Driver is the content of a driver manifest.
type Driver struct {
	Lines       []Line // up to the check of the API variant, inclusive (DRV-006)
	Usable      bool   // no check so far has rejected it
	Path        string
	LibraryPath string // as written in the manifest
	Library     string // as passed to dlopen
	HasSlash    bool
	API         uint32
	Portability bool
	WrongArch   bool          // checked after portability
	Files       []served.File // files of a driver of the service, the driver's library last
}

// WrongArchitecture returns the line that is logged if WrongArch rejects the driver.
func (d *Driver) WrongArchitecture() Line {
	return Line{Flags: diag.Info,
		Text: "loader_parse_icd_manifest: Driver library architecture doesn't match the current running architecture, skipping this driver",
		Code: diag.DriverArchitecture}
}

// ReadDriver interprets a driver manifest.
func ReadDriver(doc *document.Document, path string, on *System) *Driver {
	d := &Driver{Path: path}
	top := doc.Top()
	add := func(at document.Value, l Line) {
		l.Line, l.Column = at.Position()
		d.Lines = append(d.Lines, l)
	}
	say := func(at document.Value, flags uint32, code diag.Code, text string) {
		add(at, Line{Flags: flags, Text: text, Code: code})
	}
	wrong := func(object document.Value, code diag.Code, name, text string) {
		at, value := object, object.Member(name)
		if value.Exists() {
			at = value
		}
		add(at, Line{Flags: diag.Warn | diag.Driver, Text: text, Code: code}.about(name, value))
	}

	version := top.Member("file_format_version")
	if !version.Exists() {
		wrong(top, diag.ManifestVersion, "file_format_version", "loader_parse_icd_manifest: ICD JSON "+path+
			" does not have a 'file_format_version' field. Skipping ICD JSON.")
		return d
	}
	text, ok := version.Text()
	if !ok {
		wrong(top, diag.ManifestVersion, "file_format_version",
			"loader_parse_icd_manifest: Failed retrieving ICD JSON "+path+
				" 'file_format_version' field. Skipping ICD JSON")
		return d
	}
	say(version, diag.Driver, diag.None, "Found ICD manifest file "+path+", version "+text)
	if v := ParseVersion(text); !v.before(1, 0, 2) {
		say(version, diag.Info|diag.Driver, diag.ManifestVersionUnknown, "loader_parse_icd_manifest: "+path+
			" has unknown icd manifest file version "+v.Dots()+". May cause errors.")
	}

	icd := top.Member("ICD")
	if !icd.Exists() {
		if top.Member("layer").Exists() || top.Member("layers").Exists() { // DRV-014
			add(top, Line{Code: diag.FileWrongKind, Cause: diag.IsLayer})
			return d
		}
		wrong(top, diag.DriverField, "ICD", "loader_parse_icd_manifest: Can not find 'ICD' object in ICD JSON file "+
			path+
			". Skipping ICD JSON")
		return d
	}

	library := icd.Member("library_path")
	switch library.Kind() {
	case document.String:
		d.LibraryPath, _ = library.Text()
	case document.Null, document.True, document.False, document.Number, document.Array, document.Object:
		d.LibraryPath = library.Raw() // DRV-018
	default:
		object, name := icd, "library_path"
		if !icd.IsObject() {
			object, name = top, "ICD"
		}
		wrong(object, diag.DriverField, name,
			"loader_parse_icd_manifest: Failed to find 'library_path' object in ICD JSON file "+
				path+". Skipping ICD JSON.")
		return d
	}
	if d.LibraryPath == "" {
		wrong(icd, diag.DriverField, "library_path", "loader_parse_icd_manifest: ICD JSON "+path+
			" 'library_path' field is empty. Skipping ICD JSON.")
		return d
	}
	say(library, diag.Debug|diag.Driver, diag.None, "Searching for ICD drivers named "+d.LibraryPath)
	d.Library, d.HasSlash = on.Style.Resolve(path, d.LibraryPath) // DRV-020 to DRV-022

	api := icd.Member("api_version")
	if !api.Exists() {
		wrong(icd, diag.DriverField, "api_version", "loader_parse_icd_manifest: ICD JSON "+path+
			" does not have an 'api_version' field. Skipping ICD JSON.")
		return d
	}
	text, ok = api.Text()
	if !ok { // DRV-028: skipped, as the message says
		wrong(icd, diag.DriverField, "api_version", "loader_parse_icd_manifest: Failed retrieving ICD JSON "+path+
			" 'api_version' field. Skipping ICD JSON.")
		return d
	}
	d.API = ParseVersion(text).Packed()
	if variant := Variant(d.API); variant != 0 {
		say(api, diag.Info|diag.Driver, diag.DriverVariant, "loader_parse_icd_manifest: Driver's ICD JSON "+path+
			" 'api_version' field contains a non-zero variant value of "+string(rune('0'+variant))+
			".  Skipping ICD JSON.")
		return d
	}
	d.Portability = icd.Member("is_portability_driver").IsTrue()
	d.WrongArch = on.wrongArchitecture(icd.Member("library_arch"))
	d.Usable = true
	return d
}
