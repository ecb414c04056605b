package validation

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/reasons"
	"vkloader/internal/decide/standing"
	"vkloader/internal/tool/term"
)

// Kind is the kind of a file. Its values occur in the tool's options and output.
type Kind string

// Kinds of files. Implicit and explicit layers have different rules.
const (
	Unknown  Kind = "unknown"
	Driver   Kind = "driver"
	Implicit Kind = "implicit-layer"
	Explicit Kind = "explicit-layer"
	Settings Kind = "settings"
)

// Kinds lists the kinds that a caller can request.
var Kinds = []Kind{Driver, Implicit, Explicit, Settings}

// Report is the result of checking a file.
type Report struct {
	Kind     Kind
	Accepted bool // the loader uses a part of it: the driver, a layer, or the settings for a program
	Findings []diag.Diagnostic

	Libraries []Library // the libraries in an accepted manifest
}

// Problems counts the problems and warnings.
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

// File checks a file's text. path is for messages. whole is the absolute path, whose directory identifies an implicit layer.
// With kind Unknown, the content gives the kind.
func File(text, path, whole string, kind Kind) *Report {
	c := &checker{path: path, whole: whole, report: &Report{Kind: kind}}
	if is := encoding(text); is != readable {
		code := term.Either(is == empty, diag.FileSyntax, diag.FileEncoding)
		c.find(code, 1, 1, is)
		return c.say()
	}
	doc, fault := document.Parse(text)
	if fault != nil {
		if !isText(text) {
			c.find(diag.FileEncoding, 1, 1, binaryFile)
		} else if named, line, column := slipAt(text, fault); named != noSlip {
			c.find(diag.FileSyntax, line, column, named)
		} else {
			c.find(diag.FileSyntax, fault.Line, fault.Column, said(reasons.Syntax(fault.Slip)))
		}
		return c.say()
	}
	if kind == Unknown {
		c.report.Kind = kindOf(doc.Top(), whole)
		if at := placeOf[directoryOf(whole)]; at != "" && at != plural[c.report.Kind] && plural[c.report.Kind] != "" {
			c.at(diag.FileWrongKind, doc.Top(), misplaced{c.report.Kind, at})
		}
	}
	c.strict(text, doc)
	c.schema(doc)
	if c.report.Kind == Implicit || c.report.Kind == Explicit {
		c.features(doc.Top())
	}
	switch c.report.Kind {
	case Driver:
		driver := manifest.ReadDriver(doc, path, &here)
		c.lines(driver.Lines)
		if driver.WrongArch {
			line := driver.WrongArchitecture()
			c.at(diag.DriverArchitecture, doc.Top().Member("ICD").Member("library_arch"), said(line.Text))
		}
		c.report.Accepted = driver.Usable && !driver.WrongArch
		if driver.Usable {
			c.library(doc.Top().Member("ICD"), Library{Name: machine.Style.Base(whole),
				Path: manifest.ReadDriver(doc, whole, &here).Library})
		}
	case Implicit, Explicit:
		layers := manifest.ReadLayers(doc, path, c.report.Kind == Implicit, manifest.Placed, &here)
		c.lines(layers.Lines)
		c.report.Accepted = len(layers.Layers) > 0
		for _, l := range manifest.ReadLayers(doc, whole, c.report.Kind == Implicit, manifest.Placed, &here).Layers {
			if !l.Meta {
				c.library(layerAt(doc.Top(), l.Name), Library{Name: l.Name, Path: l.Library, Layer: true, Negotiate: l.Negotiate,
					GetInstance: l.GetInstance})
			}
		}
	case Settings:
		c.settings(doc)
	default:
		c.at(diag.FileKindUnknown, doc.Top(), ofNoKind)
	}
	c.once()
	slices.SortStableFunc(c.found, func(a, b mistake) int {
		return cmp.Or(cmp.Compare(a.line, b.line), cmp.Compare(a.column, b.column))
	})
	return c.say()
}

// here is the running system, whose form of paths resolves the library of a manifest.
var here = manifest.System{Style: machine.Style}

// kindOf returns a file's kind by its content. The directory decides for a layer, and for a file with a driver and a layer: the
// loader reads the driver in a directory for drivers and the layer in one for layers.
func kindOf(top document.Value, path string) Kind {
	has := func(name string) bool { return top.Member(name).Exists() }
	switch directory := directoryOf(path); {
	case has("ICD") && !(directory == "implicit_layer.d" || directory == "explicit_layer.d") || has("ICD") && !has("layers") && !has("layer"):
		return Driver
	case has("layers"), has("layer"):
		first := top.Member("layer")
		if has("layers") {
			first = top.Member("layers").First()
		}
		if directory == "implicit_layer.d" || directory != "explicit_layer.d" && first.Member("disable_environment").Exists() {
			return Implicit
		}
		return Explicit
	case has("settings"), has("settings_array"), machine.Style.Base(path) == "vk_loader_settings.json":
		return Settings
	}
	return Unknown
}

// placeOf maps the loaders' directories, and plural maps kinds of files, to the same words.
var (
	placeOf = map[string]string{"icd.d": "drivers", "implicit_layer.d": "layers", "explicit_layer.d": "layers",
		"loader_settings.d": "settings"}
	plural = map[Kind]string{Driver: "drivers", Implicit: "layers", Explicit: "layers", Settings: "settings"}
)

// directoryOf returns the name of a file's directory.
func directoryOf(path string) string {
	directory := machine.Style.Directory(path)
	if directory == "" {
		return ""
	}
	return machine.Style.Base(directory[:len(directory)-1])
}

// once removes the schema's finding if the loader has a finding for the same place.
func (c *checker) once() {
	same := func(schema mistake) bool {
		v, ok := schema.fact.(violation)
		return ok && slices.ContainsFunc(c.found, func(f mistake) bool {
			if f.line != schema.line || f.column != schema.column || f.code == diag.FileSchema || f.code == diag.FileDialect ||
				f.code == diag.FileMember || f.code == diag.FileDuplicate || f.code == diag.FileWrongKind {
				return false
			}
			// A missing member has the place of its object.
			return !slices.ContainsFunc(v.missing(), func(name string) bool { return !strings.Contains(f.fact.say(), name) })
		})
	}
	c.found = slices.DeleteFunc(c.found, func(f mistake) bool { return f.code == diag.FileSchema && same(f) })
}

// library records the library of an object.
func (c *checker) library(object document.Value, l Library) {
	at := memberOr(object, "library_path")
	if !at.Exists() {
		at = object
	}
	l.Line, l.Column = at.Position()
	c.report.Libraries = append(c.report.Libraries, l)
}

// layerAt returns the object of a layer in its manifest.
func layerAt(top document.Value, name string) document.Value {
	for l := top.Member("layers").First(); l.Exists(); l = l.Next() {
		if text, _ := l.Member("name").Text(); text == name {
			return l
		}
	}
	return top.Member("layer")
}

// checker builds a report.
type checker struct {
	path     string
	whole    string
	report   *Report
	found    []mistake
	violated int // the number of schema violations
	unknown  int // the number of unknown members
}

// mistake is a finding as data.
type mistake struct {
	code         diag.Code
	line, column int
	fact         fact
}

func (c *checker) find(code diag.Code, line, column int, what fact) {
	c.found = append(c.found, mistake{code, line, column, what})
}

// say adds the texts of the findings to the report.
func (c *checker) say() *Report {
	for _, f := range c.found {
		c.report.Findings = append(c.report.Findings,
			diag.Diagnostic{Code: f.code, Subject: c.path, Path: c.path, Line: f.line, Column: f.column, What: f.fact.say()})
	}
	return c.report
}

// at adds a finding at a value.
func (c *checker) at(code diag.Code, where document.Value, what fact) {
	line, column := where.Position()
	c.find(code, line, column, what)
}

// lines adds the loader's own messages.
func (c *checker) lines(lines []manifest.Line) {
	for _, l := range lines {
		if l.Code != diag.None {
			c.find(l.Code, l.Line, l.Column, said(reasons.Line(l.Text, l.Code, l.Cause, l.Detail)))
		}
	}
}

// Result is the result for one file.
type Result struct {
	Path     string   `json:"path"`
	Kind     string   `json:"kind"`
	Accepted bool     `json:"accepted"` // the loader uses a part of it
	Findings []Remark `json:"findings"`
	Problem  string   `json:"problem,omitempty"` // the reason if the file could not be read

	Libraries []Library `json:"libraries,omitempty"` // the libraries in an accepted manifest
}

// Library is a library in a manifest.
type Library struct {
	Name  string `json:"name"`            // the layer's name, or the driver manifest's
	Path  string `json:"path"`            // as passed to dlopen
	File  string `json:"file,omitempty"`  // the found file, with symbolic links resolved
	Class int    `json:"class,omitempty"` // the library's word size: 32 or 64

	Interface uint32 `json:"interface,omitempty"` // the negotiated version, after a probe

	standing.Standing // without the rules: as if they chose it

	Layer                  bool   `json:"-"`
	Negotiate, GetInstance string `json:"-"`
	Line, Column           int    `json:"-"` // of library_path
}

// Remark is a finding in text.
type Remark struct {
	Line      int           `json:"line,omitempty"`
	Column    int           `json:"column,omitempty"`
	Code      string        `json:"code"`
	Severity  diag.Severity `json:"severity"`
	Statement string        `json:"statement"`
	What      string        `json:"what"`
	Do        string        `json:"do,omitempty"`
}

// Judge checks a file that was read. problems reports whether there are findings beyond notes.
func Judge(file facts.File, path string, kind Kind) (result Result, problems bool) {
	result = Result{Path: path, Kind: string(kind), Findings: []Remark{}}
	if file.Status != facts.FileRead {
		result.Problem = cmp.Or(map[facts.FileStatus]string{facts.FileNotOpened: "cannot be opened", facts.FileNotRegular: "is not a regular file",
			facts.FileTooLarge: "is larger than 16 MB (16777216 bytes)"}[file.Status], "cannot be read")
		return result, true
	}
	whole := path // the directory identifies an implicit layer
	if absolute, err := filepath.Abs(path); err == nil {
		whole = absolute
	}
	judged := File(file.Content, path, whole, kind)
	result.Kind, result.Accepted = string(judged.Kind), judged.Accepted
	result.Libraries = judged.Libraries
	for _, f := range judged.Findings {
		entry := f.Code.Entry()
		result.Findings = append(result.Findings, Remark{f.Line, f.Column, entry.Name, entry.Severity,
			entry.Statement, f.What, entry.Do})
	}
	bad, _ := judged.Problems()
	return result, bad > 0
}
