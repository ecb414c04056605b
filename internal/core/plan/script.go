package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/document"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/search"
)

// script is the result of a decision: its steps, in order, and its diagnostics.
type script struct {
	explain     bool // add diagnostics
	quiet       bool // drop lines
	mixed       bool // as search.Platform.Mixed
	facts       *facts.Store
	texts       int // bytes of lines
	steps       []Step
	diagnostics []diag.Diagnostic
}

// log adds a line. Callers with many lines check quiet first, to save building the text.
func (s *script) log(flags uint32, text string) {
	if s.quiet && flags&diag.Fatal == 0 {
		return
	}
	s.steps = append(s.steps, Step{Kind: StepLog, Flags: flags, Text: text})
	s.spendText(len(text))
}

// spendText counts the bytes of lines. A few bytes of a file may produce a line with a long path, so after a limit
// further lines are left out.
func (s *script) spendText(bytes int) {
	s.texts += bytes
	if s.texts > textLeast+textRate*s.facts.Size() && !s.explain && !s.quiet {
		s.quiet = true
		s.steps = append(s.steps, Step{Kind: StepLog, Flags: diag.Warn,
			Text: "Further lines about this call are left out: there are too many for the size of the files that were read"})
	}
}

func (s *script) step(kind StepKind) { s.steps = append(s.steps, Step{Kind: kind}) }

// take removes the steps from an index on and returns them, for the caller to add later.
func (s *script) take(from int) []Step {
	taken := append([]Step(nil), s.steps[from:]...)
	s.steps = s.steps[:from]
	return taken
}

// clear removes all steps and diagnostics.
func (s *script) clear() { s.steps, s.diagnostics = nil, nil }

// find adds a finding that has no line in the log, and no place in a file.
func (s *script) find(code diag.Code, subject, path string, cause diag.Cause, detail string) {
	if s.explain {
		s.diagnostics = append(s.diagnostics, diag.Diagnostic{Code: code, Cause: cause, Subject: subject, Path: path,
			Detail: detail})
	}
}

// say adds a line and a finding.
func (s *script) say(flags uint32, code diag.Code, subject, path, text string) {
	s.log(flags, text)
	if s.explain {
		s.diagnostics = append(s.diagnostics, diag.Diagnostic{Code: code, Subject: subject, Path: path, What: text})
	}
}

// carry appends the platform search's messages.
func (s *script) carry(list []search.Message) {
	for i := range list {
		said := &list[i]
		if said.Flags != 0 {
			s.log(said.Flags, said.Text)
		}
		if said.Code != diag.None && s.explain {
			s.diagnostics = append(s.diagnostics,
				diag.Diagnostic{Code: said.Code, Cause: said.Cause, Subject: said.Subject,
					Path:   said.Path,
					Detail: said.Detail, What: said.Text})
		}
	}
}

// line adds a message about a manifest.
func (s *script) line(path string, l *manifest.Line) {
	if l.Flags != 0 {
		s.log(l.Flags, l.Text)
	}
	if l.Code != diag.None && s.explain && !(l.Code == diag.FileWrongKind && s.mixed) {
		s.diagnostics = append(s.diagnostics, l.Diagnostic(path))
	}
}

// fault logs that a file is not JSON (LAY-9).
func (s *script) fault(path string, fault *document.SyntaxError) {
	s.log(diag.Error, "loader_get_json: Invalid JSON file "+path+".")
	if s.explain {
		s.diagnostics = append(s.diagnostics, diag.Diagnostic{Code: diag.FileSyntax, Subject: path, Path: path,
			Line: fault.Line, Column: fault.Column, Slip: uint8(fault.Slip)})
	}
}
