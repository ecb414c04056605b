package ui

import (
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

	core "vkloader/internal/core/settings"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/fix"
	"vkloader/internal/tool/option"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// Plan is the planned effect of a change.
type Plan struct {
	Title string      // such as "Remove the settings file"
	Args  []string    // the command line that makes the change
	Files []edit.Edit // its edits
	Note  string      // a remark

	Child bool // a child process runs the command line, which tries drivers and layers
}

// run runs the plan's command line, or its dry run.
func (p *Plan) run(r *Request, args []string) *Ran {
	if p.Child {
		return r.Started(args...)
	}
	return r.Tool.Run(r, args...)
}

// planOf returns a plan with the edits of its command line, from a dry run.
func planOf(r *Request, p *Plan) (*Plan, error) {
	dry := p.run(r, slices.Insert(slices.Clone(p.Args), 2, "--dry-run"))
	if p.Files = dry.Planned; len(p.Files) == 0 {
		return nil, dry.Failed()
	}
	p.Note = strings.TrimSpace(p.Note + "\n" + strings.ReplaceAll(dry.Messages, "vkloader: ", ""))
	return p, nil
}

// changes maps the values of data-change to functions that plan a change with the fields of its form. They write
// nothing.
var changes = map[string]func(r *Request) (*Plan, error){
	"fix":           planFix,
	"clear":         planClear,
	"everything":    planEverything,
	"policy":        planPolicy,
	"layers":        planLayers,
	"devices":       planDevices,
	"layersettings": planLayerSettings,
	"use":           planUse,
	"save":          planSave,
	"forget":        planForget,
}

// prepared is a displayed plan. It is applied only as displayed.
type prepared struct {
	*Request
	*Plan
	Name   string
	Line   string // the command line for a shell
	Before []edit.State
	Digest string
	Fields []field
	Err    string
}

// field is a form field of the plan.
type field struct{ Name, Value string }

// prepare makes a plan and reads the current content of its files.
func (s *Server) prepare(r *Request, name string) (*prepared, *machine.Machine, error) {
	change := changes[name]
	if change == nil {
		return nil, nil, fmt.Errorf("there is no change %q", name)
	}
	plan, err := change(r)
	if err != nil {
		return nil, nil, err
	}
	m := r.Tool.Machine()
	if err := m.Bound.Err(); err != nil {
		return nil, nil, err
	}
	p := &prepared{Request: r, Plan: plan, Name: name, Line: string(Line(plan.Args))}
	digest := sha256.New()
	fmt.Fprintf(digest, "%q\n", plan.Args)
	undo := fix.UndoFile(&m) // the tool's record of what it changed
	paths := append(term.Words(plan.Files, func(e edit.Edit) string { return e.Path }), undo)
	for _, path := range slices.DeleteFunc(paths, func(path string) bool { return path == "" }) {
		if r.System && path != undo && !isSystemFile(path) {
			return nil, nil, fmt.Errorf("this page is root's and changes files of the system only, not %s", path)
		}
		now, err := edit.Keep(&m, path)
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

// fieldsOf returns the fields of a form, by name.
func fieldsOf(query url.Values) (fields []field) {
	for _, name := range slices.Sorted(maps.Keys(query)) {
		for _, value := range query[name] {
			fields = append(fields, field{name, value})
		}
	}
	return fields
}

// isSystemFile reports whether a file is in a system directory.
func isSystemFile(path string) bool {
	path = filepath.Clean(path)
	return strings.HasPrefix(path, "/etc/") || strings.HasPrefix(path, "/usr/") || strings.HasPrefix(path, "/var/")
}

// serveChange answers /change/NAME. Without a digest it returns the plan; with the digest of a displayed plan it makes
// the change.
func (s *Server) serveChange(w http.ResponseWriter, r *http.Request) {
	q := s.request(r)
	q.Query = r.PostForm
	slowly(w, r, "Change", func(func(string)) (string, error) {
		s.changing.Lock()
		defer s.changing.Unlock()
		part, p, err := s.change(q, r.PathValue("name"))
		return changeResult(part, p, err)
	})
}

// change makes a change or its plan. part is the template part for the answer.
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

// changeResult returns the result of a change as HTML.
func changeResult(part string, data any, err error) (string, error) {
	if err != nil {
		part, data = "failed", err.Error()
	}
	return render(part, data)
}

// apply makes the change and records the earlier content of the files.
func (s *Server) apply(r *Request, p *prepared, m *machine.Machine) error {
	var wrong error
	if ran := p.run(r, p.Args); ran.Code != exit.Fine {
		wrong = exit.As(ran.Code, ran.Failed())
	}
	step := undoStep{title: p.Title}
	changed := false
	for _, before := range p.Before {
		after, err := edit.Keep(m, before.Path)
		if err != nil {
			return err
		}
		changed = changed || !after.Same(before)
		step.files = append(step.files, undoFile{before, after})
	}
	if changed {
		s.undo = append(s.undo, step)
	}
	if p.Child && changed && exit.CodeOf(wrong) == exit.Problems { // the remaining problems after a fix
		return nil
	}
	return wrong
}

// undoStep is a change that can be undone.
type undoStep struct {
	title string
	files []undoFile
}

type undoFile struct{ before, after edit.State }

// undoable returns the title of the last change, "" if there is none to undo, and the number of changes.
func (s *Server) undoable() (string, int) {
	if !s.changing.TryLock() { // another change is in progress
		return "", 0
	}
	defer s.changing.Unlock()
	if len(s.undo) == 0 {
		return "", 0
	}
	return s.undo[len(s.undo)-1].title, len(s.undo)
}

// serveUndo undoes the last change, or all.
func (s *Server) serveUndo(w http.ResponseWriter, r *http.Request) {
	slowly(w, r, "Undo", func(func(string)) (string, error) {
		s.changing.Lock()
		defer s.changing.Unlock()
		title, err := s.undoLast()
		for r.PostForm.Has("all") && err == nil && len(s.undo) > 0 {
			title = "All changes"
			_, err = s.undoLast()
		}
		return changeResult("undone", title, err)
	})
}

func (s *Server) undoLast() (title string, err error) {
	if len(s.undo) == 0 {
		return "", errors.New("there is nothing to undo")
	}
	m := s.tool.Machine()
	last := s.undo[len(s.undo)-1]
	for _, f := range last.files {
		now, err := edit.Keep(&m, f.before.Path)
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

// settingsInForce returns the settings file in force, from "settings show".
func settingsInForce(r *Request, app string) (*settings.Shown, error) {
	args := []string{"settings", "show", "--json"}
	if app != "" {
		args = append(args, "--app", app)
	}
	var file settings.Shown
	if err := r.Tool.Run(r, args...).Decode(&file); err != nil {
		return nil, err
	}
	return &file, nil
}

// planClear plans the removal of the settings file, or of its settings for one program.
func planClear(r *Request) (*Plan, error) {
	found, err := r.Tool.Settings()
	if err != nil {
		return nil, err
	}
	file, title := found.InForce(), "Remove the settings file"
	c := &settings.Clearing{Force: file != nil && !file.Ours}
	if app := r.Ref("app"); app != "" {
		c.Apps, title = []string{app}, "Remove the settings for "+app
	}
	plan := &Plan{Title: title, Args: append([]string{"settings", "clear"}, option.Words(c)...)}
	if c.Force {
		plan.Note = "Another program has written this file, and may write it again."
	}
	return planOf(r, plan)
}

// planEverything plans the removal of all that the tool has written for the user.
func planEverything(r *Request) (*Plan, error) {
	plan := &Plan{Title: "Undo everything that vkloader has written",
		Args: []string{"settings", "clear", "--everything"}, Note: "These are the settings, configurations, settings of layers and fixes of this user, from this page and from terminals."}
	return planOf(r, plan)
}

// planPolicy plans the end of the hardware policy.
func planPolicy(r *Request) (*Plan, error) {
	c := r.options(r.Ref("app"))
	c.Hardware = core.AnyHardware.String()
	return planOf(r, &Plan{Title: "Remove the policy about hardware", Args: c.Words("set")})
}

// planFix plans one step of "doctor --fix".
func planFix(r *Request) (*Plan, error) {
	step := r.Ref("step")
	if step == "" {
		return nil, errors.New("no step is named")
	}
	return planOf(r, &Plan{Title: step, Args: []string{"doctor", "--fix", "--yes", "--step", step}, Child: true})
}
