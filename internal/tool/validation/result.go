package validation

import (
	"path/filepath"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
)

// Result is one file, and what was found in it.
type Result struct {
	Path     string   `json:"path"`
	Kind     string   `json:"kind"`
	Accepted bool     `json:"accepted"` // the loader takes something of it
	Findings []Remark `json:"findings"`
	Problem  string   `json:"problem,omitempty"` // why it could not be looked at

	Libraries []Library `json:"libraries,omitempty"` // that an accepted manifest names
}

// Library is a library that a manifest names.
type Library struct {
	Name  string `json:"name"`            // of the driver's manifest, or the layer
	Path  string `json:"path"`            // as given to dlopen
	File  string `json:"file,omitempty"`  // that is found, without symbolic links
	Class int    `json:"class,omitempty"` // its word size: 32 or 64

	Interface uint32 `json:"interface,omitempty"` // the version that it agrees on, when it was asked

	Layer                  bool   `json:"-"`
	Negotiate, GetInstance string `json:"-"`
	Line, Column           int    `json:"-"` // of library_path
}

// Remark is one thing to say about a file.
type Remark struct {
	Line      int           `json:"line,omitempty"`
	Column    int           `json:"column,omitempty"`
	Code      string        `json:"code"`
	Severity  diag.Severity `json:"severity"`
	Statement string        `json:"statement"`
	What      string        `json:"what"`
	Do        string        `json:"do,omitempty"`
}

// Judge judges a file as it was read; problems tells whether more than notes was found.
func Judge(file facts.File, path string, kind Kind) (result Result, problems bool) {
	result = Result{Path: path, Kind: string(kind), Findings: []Remark{}}
	if file.Status != facts.FileRead {
		result.Problem = "cannot be read"
		switch file.Status {
		case facts.FileNotOpened:
			result.Problem = "cannot be opened"
		case facts.FileNotRegular:
			result.Problem = "is not a regular file"
		case facts.FileTooLarge:
			result.Problem = "is larger than 16 MB (16777216 bytes)"
		}
		return result, true
	}
	whole := path // an implicit layer is told by its directory
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
