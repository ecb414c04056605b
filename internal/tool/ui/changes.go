package ui

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/term"
)

// Change is one kind of change that pages offer.
type Change interface {
	// Plan says what the change does by the fields of its form. It writes nothing.
	Plan(r *Request) (*Plan, error)
}

// Plan is what a change does.
type Plan struct {
	Title string   // such as "Remove the settings file"
	Args  []string // the command line that makes the change
	Files []File   // that it writes or removes, for people to read
	Also  []string // files of the tool's own that it writes besides
	Note  string   // a remark
	Tries bool     // the command line tries drivers and layers
}

// changes are all kinds of changes, by the name in data-change.
var changes = map[string]Change{
	"fix":           fixChange{},
	"clear":         clearChange{},
	"lift":          liftChange{},
	"policy":        policyChange{},
	"layers":        settingsChange{},
	"layersettings": layerChange{},
}

// prepared is a plan that is shown, and applied as it was shown.
type prepared struct {
	*Request
	*Plan
	Name   string
	Line   string // the command line for a shell
	Before []fix.Kept
	Digest string
	Fields []field
	Err    string
}

// field is one of the form that the plan was made of.
type field struct{ Name, Value string }

// prepare makes a plan, and reads what its files are now.
func (s *Server) prepare(r *Request, name string) (*prepared, *machine.Machine, error) {
	change := changes[name]
	if change == nil {
		return nil, nil, fmt.Errorf("there is no change %q", name)
	}
	plan, err := change.Plan(r)
	if err != nil {
		return nil, nil, err
	}
	m := r.Tool.Machine()
	p := &prepared{Request: r, Plan: plan, Name: name, Line: Line(plan.Args)}
	digest := sha256.New()
	fmt.Fprintf(digest, "%q\n", plan.Args)
	paths := append(slices.Clone(plan.Also), term.Words(plan.Files, func(f File) string { return f.Path })...)
	for _, path := range paths {
		if r.System && !ofSystem(path) {
			return nil, nil, fmt.Errorf("this page is root's and changes files of the system only, not %s", path)
		}
		now, err := fix.Keep(&m, path)
		if err != nil {
			return nil, nil, err
		}
		p.Before = append(p.Before, now)
		fmt.Fprintf(digest, "%q %v %q\n", path, now.There, now.Text)
	}
	p.Digest = hex.EncodeToString(digest.Sum(nil))
	p.Fields = slices.DeleteFunc(fieldsOf(r.Query), func(f field) bool { return f.Name == "digest" })
	return p, &m, nil
}

// fieldsOf are the fields of a form, by name.
func fieldsOf(query url.Values) (fields []field) {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, value := range query[name] {
			fields = append(fields, field{name, value})
		}
	}
	return fields
}

// ofSystem tells whether a file is the system's, and nobody's in particular.
func ofSystem(path string) bool {
	path = filepath.Clean(path)
	return strings.HasPrefix(path, "/etc/") || strings.HasPrefix(path, "/usr/") || strings.HasPrefix(path, "/var/")
}

// serveChange answers /change/NAME: without a digest with what the change does, else it makes the change that was shown.
func (s *Server) serveChange(w http.ResponseWriter, r *http.Request) {
	q := s.request(r)
	q.Query = r.PostForm
	slowly(w, r, "Change", func() (string, error) {
		s.changing.Lock()
		defer s.changing.Unlock()
		part, p, err := s.change(q, r.PathValue("name"))
		return changed(part, p, err)
	})
}

// change makes a change, or a plan of it; part is the part of the template that says so.
func (s *Server) change(q *Request, name string) (part string, p *prepared, err error) {
	p, m, err := s.prepare(q, name)
	if err != nil {
		return "", nil, err
	}
	asked := q.Query.Get("digest")
	if asked == p.Digest {
		return "done", p, s.apply(q, p, m)
	}
	if asked != "" {
		p.Err = "A file has changed since this page was shown. Check the change again."
	}
	return "plan", p, nil
}

// changed is what became of a change, as HTML.
func changed(part string, data any, err error) (string, error) {
	if err != nil {
		part, data = "failed", err.Error()
	}
	var text bytes.Buffer
	err = render(&text, "change", part, data)
	return text.String(), err
}

// apply carries out the command line, and remembers what the files were.
func (s *Server) apply(r *Request, p *prepared, m *machine.Machine) error {
	run := func(args ...string) *Ran { return r.Tool.Run(r, args...) }
	if p.Tries {
		run = r.Started
	}
	ran := run(p.Args...)
	step := undoStep{title: p.Title}
	changed := false
	for _, before := range p.Before {
		after, err := fix.Keep(m, before.Path)
		if err != nil {
			return err
		}
		changed = changed || !after.Same(before)
		step.files = append(step.files, undoFile{before, after})
	}
	if changed {
		s.undo = append(s.undo, step)
	}
	if ran.Code > 1 || ran.Code == 1 && !changed {
		return ran.Failed()
	}
	return nil
}

// undoStep is a change that was made.
type undoStep struct {
	title string
	files []undoFile
}

type undoFile struct{ before, after fix.Kept }

// undoable is the title of the last change; "" when there is nothing to undo.
func (s *Server) undoable() string {
	if !s.changing.TryLock() { // a change is being made
		return ""
	}
	defer s.changing.Unlock()
	if len(s.undo) == 0 {
		return ""
	}
	return s.undo[len(s.undo)-1].title
}

// serveUndo gives back what the last change has changed.
func (s *Server) serveUndo(w http.ResponseWriter, r *http.Request) {
	slowly(w, r, "Undo", func() (string, error) {
		s.changing.Lock()
		defer s.changing.Unlock()
		title, err := s.undoLast()
		return changed("undone", title, err)
	})
}

func (s *Server) undoLast() (title string, err error) {
	if len(s.undo) == 0 {
		return "", errors.New("there is nothing to undo")
	}
	m := s.tool.Machine()
	last := s.undo[len(s.undo)-1]
	for _, f := range last.files {
		now, err := fix.Keep(&m, f.before.Path)
		if err != nil {
			return "", err
		}
		if !now.Same(f.after) && !now.Same(f.before) {
			return "", fmt.Errorf("%s has changed since: nothing is undone", f.before.Path)
		}
	}
	for _, f := range last.files {
		if err := f.before.Restore(&m); err != nil {
			return "", err
		}
	}
	s.undo = s.undo[:len(s.undo)-1]
	return last.title, nil
}
