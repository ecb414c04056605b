package ui

import (
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

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

// typed holds the variables that the user has entered on the page, as NAME=VALUE, and the confirmed loaders of
// programs. An address may use these values.
type typed struct {
	lock  sync.Mutex
	pairs map[string]bool
}

// maxTyped is the maximum number of recorded variables.
const maxTyped = 1000

// has reports whether the user has entered a variable or confirmed a loader.
func (t *typed) has(pair string) bool {
	if t == nil {
		return false
	}
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.pairs[pair]
}

// add records variables or loaders.
func (t *typed) add(pairs []string) {
	t.lock.Lock()
	defer t.lock.Unlock()
	if t.pairs == nil || len(t.pairs) > maxTyped {
		t.pairs = map[string]bool{}
	}
	for _, pair := range pairs[:min(len(pairs), maxTyped)] {
		t.pairs[pair] = true
	}
}

// untyped is the error for an address with variables that the user has not entered.
type untyped struct{ pairs []string }

func (u *untyped) Error() string {
	return fmt.Sprintf("the address sets %s, which was not entered on this page: confirm the variable to use it",
		strings.Join(u.pairs, " "))
}

// check returns an error for variables that the page refuses, or that the user has not entered and has to confirm
// first.
func (t *typed) check(pairs []string) error {
	var open []string
	for _, pair := range pairs {
		name, _, _ := strings.Cut(pair, "=")
		if why := refusal(name); why != "" {
			return fmt.Errorf("the page refuses the variable %s: %s", name, why)
		}
		if !t.has(pair) {
			open = append(open, pair)
		}
	}
	if open != nil {
		return &untyped{open}
	}
	return nil
}

// loaderToConfirm returns the loader of a program, if a child process would load this file, which the address has
// chosen together with the program, and the user has not confirmed it; else "". A loader that the system's
// configuration or a variable of vkloader ui finds needs no confirmation.
func (t *typed) loaderToConfirm(l *loaders.Loader, program string) string {
	if l == nil || l.File == "" || program == "" ||
		slices.Contains([]string{"cache", "default", "system", "variable", "preload"}, l.Rule) || t.has(l.File) {
		return ""
	}
	return l.File
}

// loads returns an error if the picture's child process would load a program's own loader, and the user has not
// confirmed it.
func loads(q *Request, s *subject) error {
	before, err := explainedFor(q, q.Tool, s)
	if err != nil {
		return err
	}
	if file := q.typed.loaderToConfirm(before.Loader, s.App); file != "" {
		return fmt.Errorf("%s is this program's own loader: confirm it on the program's page before it is loaded", file)
	}
	return nil
}

// serveTyped records the variables and the loader in a form that the user has sent.
func (s *Server) serveTyped(w http.ResponseWriter, r *http.Request) {
	s.typed.add(strings.Fields(strings.Join(r.PostForm["env"], " ")))
	s.typed.add(r.PostForm["loader"])
	w.WriteHeader(http.StatusNoContent)
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
	s := &subject{Elevated: r.Query.Get("elevated") != ""}
	s.PID, _ = strconv.Atoi(r.Query.Get("pid"))
	for _, text := range r.Query["env"] {
		s.Env = append(s.Env, strings.Fields(text)...)
	}
	if err := r.typed.check(s.Env); err != nil {
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
