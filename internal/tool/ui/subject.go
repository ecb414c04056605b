package ui

import (
	"fmt"
	"html/template"
	"net/url"
	"strconv"
	"strings"

	"vkloader/internal/decide/process"
)

// subject is the program in the page's address.
type subject struct {
	App      string // its path; "": any program with default settings
	Env      []string
	Elevated bool
	PID      int
}

// subjectOf reads an address: the program's path or name after the page's name, or the form field app.
func subjectOf(r *Request) (*subject, error) {
	m := r.Tool.Machine()
	s := &subject{Elevated: r.Query.Get("elevated") != ""}
	s.PID, _ = strconv.Atoi(r.Query.Get("pid"))
	for _, text := range r.Query["env"] {
		s.Env = append(s.Env, strings.Fields(text)...)
	}
	if err := r.typed.check(&m, s.Env); err != nil {
		return nil, err
	}
	name := strings.TrimSpace(r.Query.Get("app"))
	if name == "" {
		name = r.Rest
		if strings.Contains(name, "/") {
			name = "/" + name
		}
	}
	if name == "" || s.PID != 0 {
		s.App = name
		return s, nil
	}
	var err error
	s.App, err = m.FindProgram(name)
	return s, err
}

// running returns an error if the subject's process has ended, or another program has its number.
func (s *subject) running() error {
	if s.PID == 0 {
		return nil
	}
	if !process.Here.Exists(s.PID) {
		return fmt.Errorf("process %d has ended", s.PID)
	}
	if p, err := process.Here.Look(s.PID); err == nil && s.App != "" && p.Program != "" && s.App != p.Program && s.App != p.Name && s.App != "/"+p.Name {
		return fmt.Errorf("process %d is now %s: the process of %s has ended", s.PID, p.Program, s.App)
	}
	return nil
}

// args returns the options of "explain" for the subject.
func (s *subject) args(args ...string) []string {
	switch {
	case s.PID != 0:
		args = append(args, "--pid", strconv.Itoa(s.PID))
	case s.App != "":
		args = append(args, "--app", s.App)
	}
	if s.Elevated && s.PID == 0 {
		args = append(args, "--elevated")
	}
	for _, v := range s.Env {
		args = append(args, "--env", v)
	}
	return args
}

// query returns the subject as the query of an address.
func (s *subject) query() url.Values {
	q := url.Values{}
	if s.PID != 0 {
		q.Set("pid", strconv.Itoa(s.PID))
	}
	if s.Elevated {
		q.Set("elevated", "1")
	}
	if len(s.Env) > 0 {
		q.Set("env", strings.Join(s.Env, " "))
	}
	return q
}

// Rest returns the subject's part of an address after the page's name.
func (s *subject) Rest() string { return strings.TrimPrefix(addressOf(s.App), "program/") }

// Plain returns a link to the subject without a change.
func (s *subject) Plain() template.URL { return link(s.Path(), s.query()) }

// link returns an address of the page with a query.
func link(path string, query url.Values) template.URL {
	if text := query.Encode(); text != "" {
		path += "?" + text
	}
	return template.URL("#/" + path)
}

// Path returns the subject's part of an address.
func (s *subject) Path() string { return addressOf(s.App) }
