package validation

import (
	"cmp"
	"fmt"
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

func (c *checker) check(text string) {
	path, whole := c.path, c.whole
	if is := encoding(text); is != "" {
		c.find(term.Either(is == emptyFile, diag.FileSyntax, diag.FileEncoding), 1, 1, is)
		return
	}
	doc, fault := document.Parse(text)
	if fault != nil {
		if !isText(text) {
			c.find(diag.FileEncoding, 1, 1, "the file is not text")
		} else {
			c.find(diag.FileSyntax, fault.Line, fault.Column, reasons.Syntax(fault.Slip))
		}
		return
	}
	if c.result.Kind == Unknown {
		c.result.Kind = kindOf(doc.Top(), whole)
		if at := placeOf[directoryOf(whole)]; at != "" && at != plural[c.result.Kind] && plural[c.result.Kind] != "" {
			c.at(diag.FileWrongKind, doc.Top(), "%s in a directory for %s: no loader looks for it there",
				plural[c.result.Kind], at)
		}
	}
	c.strict(text, doc)
	c.schema(doc)
	if c.result.Kind == Implicit || c.result.Kind == Explicit {
		c.features(doc.Top())
	}
	switch c.result.Kind {
	case Driver:
		driver := manifest.ReadDriver(doc, path, &here)
		c.lines(driver.Lines)
		if driver.WrongArch {
			at := doc.Top().Member("ICD").Member("library_arch")
			c.at(diag.DriverArchitecture, at, "%s", driver.WrongArchitecture().Text)
		}
		c.result.Accepted = driver.Usable && !driver.WrongArch
		if driver.Usable {
			c.library(doc.Top().Member("ICD"), Library{Name: machine.Style.Base(whole),
				Path: manifest.ReadDriver(doc, whole, &here).Library})
		}
	case Implicit, Explicit:
		layers := manifest.ReadLayers(doc, path, c.result.Kind == Implicit, manifest.Placed, &here)
		c.lines(layers.Lines)
		c.result.Accepted = len(layers.Layers) > 0
		for _, l := range manifest.ReadLayers(doc, whole, c.result.Kind == Implicit, manifest.Placed, &here).Layers {
			if !l.Meta {
				c.library(layerAt(doc.Top(), l.Name),
					Library{Name: l.Name, Path: l.Library, Layer: true, Negotiate: l.Negotiate,
						GetInstance: l.GetInstance})
			}
		}
	case Settings:
		c.settings(doc)
	default:
		c.at(diag.FileKindUnknown, doc.Top(),
			"neither a driver manifest (ICD), nor a layer manifest (layer, layers), nor settings "+
				"(settings, settings_array)")
	}
	c.once()
	slices.SortStableFunc(c.found, func(a, b mistake) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
}

// here is the running system, whose form of paths resolves the library of a manifest.
var here = manifest.System{Style: machine.Style}

// kindOf returns a file's kind by its content. The directory decides for a layer, and for a file with a driver and a
// layer: the loader reads the driver in a directory for drivers and the layer in one for layers.
func kindOf(top document.Value, path string) Kind {
	has := func(name string) bool { return top.Member(name).Exists() }
	switch directory := directoryOf(path); {
	case has("ICD") && !(directory == "implicit_layer.d" || directory == "explicit_layer.d") || has("ICD") &&
		!has("layers") && !has("layer"):
		return Driver
	case has("layers"), has("layer"):
		first := top.Member("layer")
		if has("layers") {
			first = top.Member("layers").First()
		}
		if directory == "implicit_layer.d" || directory != "explicit_layer.d" &&
			first.Member("disable_environment").Exists() {
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

func directoryOf(path string) string {
	directory := machine.Style.Directory(path)
	if directory == "" {
		return ""
	}
	return machine.Style.Base(directory[:len(directory)-1])
}

// once removes the schema's finding if the loader has a finding for the same place.
func (c *checker) once() {
	c.found = slices.DeleteFunc(c.found, func(schema mistake) bool {
		return schema.violation != nil && slices.ContainsFunc(c.found, func(f mistake) bool {
			if f.Line != schema.Line || f.Column != schema.Column || f.violation != nil || slices.Contains([]diag.Code{
				diag.FileSchema, diag.FileDialect, diag.FileMember, diag.FileDuplicate, diag.FileWrongKind}, f.code) {
				return false
			}
			// A missing member has the place of its object.
			lacks := func(name string) bool { return !strings.Contains(f.What, name) }
			return !slices.ContainsFunc(schema.violation.Missing, lacks)
		})
	})
}

func (c *checker) library(object document.Value, l Library) {
	at := object.Member("library_path")
	if !at.Exists() {
		at = object
	}
	l.Line, l.Column = at.Position()
	c.result.Libraries = append(c.result.Libraries, l)
}

func layerAt(top document.Value, name string) document.Value {
	for l := top.Member("layers").First(); l.Exists(); l = l.Next() {
		if text, _ := l.Member("name").Text(); text == name {
			return l
		}
	}
	return top.Member("layer")
}

// checker builds a result.
type checker struct {
	path, whole string
	result      *Result
	found       []mistake
	violated    int // the number of schema violations
	unknown     int // the number of unknown members
}

// mistake is a finding.
type mistake struct {
	Remark
	code      diag.Code
	violation *Violation // of the schema; nil: another finding
}

func (c *checker) find(code diag.Code, line, column int, what string) {
	e := code.Entry()
	c.found = append(c.found,
		mistake{Remark: Remark{line, column, e.Name, e.Severity, e.Statement, what, e.Do}, code: code})
}

func (c *checker) at(code diag.Code, where document.Value, format string, args ...any) {
	line, column := where.Position()
	c.find(code, line, column, fmt.Sprintf(format, args...))
}

// laxer ends the texts about forms that only the loader accepts.
const laxer = ": the loader accepts this, strict readers do not"

// lines adds the loader's own messages.
func (c *checker) lines(lines []manifest.Line) {
	for _, l := range lines {
		if l.Code != diag.None {
			c.line(&l)
		}
	}
}

func (c *checker) line(l *manifest.Line) {
	f := l.Diagnostic(c.result.Path)
	c.find(l.Code, l.Line, l.Column, reasons.Of(&f))
}

// Result is the result for one file.
type Result struct {
	Path     string   `json:"path"`
	Kind     Kind     `json:"kind"`
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

// Judge checks a file that was read. With kind Unknown, the content gives the kind. problems reports whether there are
// findings beyond warnings and notes.
func Judge(file facts.File, path string, kind Kind) (result Result, problems bool) {
	result = Result{Path: path, Kind: kind, Findings: []Remark{}}
	if file.Status != facts.FileRead {
		result.Problem = cmp.Or(map[facts.FileStatus]string{facts.FileNotOpened: "cannot be opened",
			facts.FileNotRegular: "is not a regular file",
			facts.FileTooLarge:   "is larger than 16 MB (16777216 bytes)"}[file.Status], "cannot be read")
		return result, true
	}
	c := &checker{path: path, whole: path, result: &result} // the directory of whole identifies an implicit layer
	if absolute, err := filepath.Abs(path); err == nil {
		c.whole = absolute
	}
	c.check(file.Content)
	for _, f := range c.found {
		result.Findings = append(result.Findings, f.Remark)
	}
	return result, slices.ContainsFunc(result.Findings, func(f Remark) bool { return f.Severity == diag.Problem })
}
