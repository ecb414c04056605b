package ui

import (
	_ "embed"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/process"
)

// refusedNames are the patterns of variables that the page refuses even from the user.
//
//go:embed refused.txt
var refusedNames string

// refusal returns the reason to refuse a variable; "" for an accepted one.
func refusal(name string) string {
	switch {
	case name == "" || strings.ContainsAny(name, "/ \x00"):
		return "it is not a valid name of a variable"
	case slices.ContainsFunc(strings.Fields(refusedNames), func(pattern string) bool {
		is, err := path.Match(pattern, strings.ToUpper(name))
		return is && err == nil
	}):
		return "it makes programs load code, or write files. Use a terminal: vkloader explain --env"
	}
	return ""
}

// VariablesHeader is the header of a request with the variables that the user has entered on the page. No address has
// them.
const VariablesHeader = "Vkloader-Variables"

// ownLoader returns the loader of a program, if the address has chosen this file together with the program; else "".
// The user has to confirm it before a child process loads it. A loader that the system's configuration or a variable of
// vkloader ui finds needs no confirmation.
func ownLoader(l *loaders.Loader, program string) string {
	if l == nil || program == "" ||
		slices.Contains([]string{"cache", "default", "system", "variable", "preload"}, l.Rule) {
		return ""
	}
	return l.File
}

// loads returns an error if the picture's child process would load a program's own loader, and the form does not
// confirm it.
func loads(q *Request, s *subject) error {
	before, err := explainedFor(q, q.Tool, s)
	if err != nil {
		return err
	}
	if file := ownLoader(before.Loader, s.App); file != "" && file != q.Ref("loader") {
		return fmt.Errorf("%s is this program's own loader: confirm it on the program's page before it is loaded", file)
	}
	return nil
}

// subject is the program in the page's address.
type subject struct {
	App      string // its path; "": any program with default settings
	Env      []string
	Elevated bool
	PID      int
}

// subjectOf reads an address: the program's path or name after the page's name, or the form field app.
func subjectOf(r *Request) (*subject, error) {
	s := &subject{Elevated: r.Query.Get("elevated") != "", Env: r.Variables}
	s.PID, _ = strconv.Atoi(r.Query.Get("pid"))
	for _, pair := range s.Env {
		name, _, _ := strings.Cut(pair, "=")
		if why := refusal(name); why != "" {
			return nil, fmt.Errorf("the page refuses the variable %s: %s", name, why)
		}
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
	m := r.Tool.Machine()
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
	if p, err := process.Here.Look(s.PID); err == nil && s.App != "" && p.Program != "" && s.App != p.Program &&
		s.App != p.Name && s.App != "/"+p.Name {
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
