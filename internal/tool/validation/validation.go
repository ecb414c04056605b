package validation

import (
	"cmp"
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
)

// Kind of file; the values are those of the tool's options and output.
type Kind string

// Kinds of files. Layer manifests are read by different rules as implicit and as explicit ones.
const (
	Unknown  Kind = "unknown"
	Driver   Kind = "driver"
	Implicit Kind = "implicit-layer"
	Explicit Kind = "explicit-layer"
	Settings Kind = "settings"
)

// Kinds are those that a file may be judged as.
var Kinds = []Kind{Driver, Implicit, Explicit, Settings}

// Report is what is to be said about a file.
type Report struct {
	Kind     Kind
	Accepted bool // the loader takes something of it: the driver, at least one layer, settings for at least one program
	Findings []diag.Finding
}

// Problems counts findings that are not mere notes.
func (r *Report) Problems() (problems, warnings int) {
	for _, f := range r.Findings {
		switch f.Code.Entry().Severity {
		case diag.Problem:
			problems++
		case diag.Warning:
			warnings++
		}
	}
	return problems, warnings
}

// File judges a file's text. path is for messages; whole, the same path from the root on, tells an implicit layer's
// directory; kind is Unknown when the content shall tell.
func File(text, path, whole string, kind Kind) *Report {
	c := &checker{path: path, report: &Report{Kind: kind}}
	doc, fault := document.Parse(text)
	if fault != nil {
		c.find(diag.FileSyntax, fault.Line, fault.Column, fault.What)
		return c.report
	}
	if kind == Unknown {
		c.report.Kind = kindOf(doc.Top(), whole)
		if at := placeOf[directoryOf(whole)]; at != "" && at != plural[c.report.Kind] && plural[c.report.Kind] != "" {
			c.at(diag.FileWrongKind, doc.Top(), plural[c.report.Kind]+" in a directory for "+at+": no loader looks for it there")
		}
	}
	c.strict(text, doc)
	c.schema(doc)
	switch c.report.Kind {
	case Driver:
		driver := manifest.ReadDriver(doc, path, &manifest.System{})
		c.lines(driver.Lines)
		if driver.WrongArch {
			line := driver.WrongArchitecture()
			c.at(diag.DriverArchitecture, doc.Top().Member("ICD").Member("library_arch"), line.Text)
		}
		c.report.Accepted = driver.Usable && !driver.WrongArch
	case Implicit, Explicit:
		layers := manifest.ReadLayers(doc, path, c.report.Kind == Implicit, manifest.Placed, &manifest.System{})
		c.lines(layers.Lines)
		c.report.Accepted = len(layers.Layers) > 0
	case Settings:
		c.settings(doc)
	default:
		c.at(diag.FileKindUnknown, doc.Top(), "neither a driver manifest (ICD), nor a layer manifest (layer, layers), "+
			"nor settings (settings, settings_array)")
	}
	slices.SortStableFunc(c.report.Findings, func(a, b diag.Finding) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return c.report
}

// kindOf tells a file's kind by its content, and layers' also by the directory.
func kindOf(top document.Value, path string) Kind {
	has := func(name string) bool { return top.Member(name).Exists() }
	switch {
	case has("ICD"):
		return Driver
	case has("layers"), has("layer"):
		first := top.Member("layer")
		if has("layers") {
			first = top.Member("layers").First()
		}
		directory := directoryOf(path)
		if directory == "implicit_layer.d" || directory != "explicit_layer.d" && first.Member("disable_environment").Exists() {
			return Implicit
		}
		return Explicit
	case has("settings"), has("settings_array"), search.BaseName(path) == "vk_loader_settings.json":
		return Settings
	}
	return Unknown
}

// placeOf says what the directories are for that loaders look into, plural what a kind of file is, in the same words.
var (
	placeOf = map[string]string{"icd.d": "drivers", "implicit_layer.d": "layers", "explicit_layer.d": "layers",
		"loader_settings.d": "settings"}
	plural = map[Kind]string{Driver: "drivers", Implicit: "layers", Explicit: "layers", Settings: "settings"}
)

// directoryOf is the name of the directory that a file lies in.
func directoryOf(path string) string {
	directory := search.Directory(path)
	if directory == "" {
		return ""
	}
	return search.BaseName(directory[:len(directory)-1])
}

// checker makes a report.
type checker struct {
	path     string
	report   *Report
	violated int // how often the schema is violated
}

func (c *checker) find(code diag.Code, line, column int, what string) {
	c.report.Findings = append(c.report.Findings,
		diag.Finding{Code: code, Subject: c.path, Path: c.path, Line: line, Column: column, What: what})
}

// at finds something at a value.
func (c *checker) at(code diag.Code, where document.Value, what string) {
	line, column := where.Position()
	c.find(code, line, column, what)
}

// lines takes over what the loader itself says.
func (c *checker) lines(lines []manifest.Line) {
	for _, l := range lines {
		if l.Code != diag.None {
			c.find(l.Code, l.Line, l.Column, l.Text)
		}
	}
}
