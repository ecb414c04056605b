package ui

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"vkloader/internal/tool/term"
	"vkloader/spec"
)

// Page is one page: its address is #/NAME.
type Page struct {
	Name  string
	Title string
	Below string // the page that the navigation shows as current; "": this one, which is in the navigation

	// Data gathers what the template shows.
	Data func(r *Request) (any, error)

	// Template is the file of the template; "": that of the name.
	Template string
}

// template is the name of the page's template.
func (p *Page) template() string { return term.Or(p.Template, p.Name) }

// pages are all pages, in the order of the navigation. The first is that without an address.
var pages = []*Page{overviewPage, programsPage, chainPage, layersPage, filesPage, reportPage}

// parts are what pages fetch when it is wanted: /part/NAME. They are like pages, and stand in one.
var parts = []*Page{picturePart, exportPart, itemPart}

// Request is what was asked for.
type Request struct {
	context.Context
	Tool     Tool
	Page     *Page
	Rest     string     // of the address, after the page's name
	Query    url.Values // of the address, or the fields of the form
	ReadOnly bool       // changes are refused
	System   bool       // changes are for all users: the page is root's

	Address string // the page's address without "#", where Data chooses another one than was asked for
	Heading string // the page's heading, where it is not its title

	typed *typed
}

// Refs are the values of a field that a template has written with {{ref}}.
func (r *Request) Refs(field string) (list []string) {
	for _, value := range r.Query[field] {
		if text, err := url.QueryUnescape(value); err == nil {
			list = append(list, text)
		}
	}
	return list
}

// Ref is the first value of such a field; "" without one.
func (r *Request) Ref(field string) string {
	return strings.Join(r.Refs(field)[:min(len(r.Refs(field)), 1)], "")
}

//go:embed pages/*.html
var templateFiles embed.FS

// functions are those of every template.
var functions = template.FuncMap{
	"ref":   url.QueryEscape,
	"path":  url.PathEscape,
	"or2":   term.Or,
	"count": term.Count,
	"dict":  dict,
	"rule":  rule,
	"id":    id,
	"expiries": func() map[string]string {
		return map[string]string{"": "as it is", "8h": "8 hours from now", "7d": "7 days from now", "90m": "90 minutes from now", "never": "it is removed"}
	},
	"lines": func(text string) []string { return strings.Split(strings.TrimSuffix(text, "\n"), "\n") },
}

// id is what an element can be called after a name.
func id(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:6])
}

// rule is the text of a statement, without its Markdown; "" where there is none.
func rule(id string) string {
	id, _, _ = strings.Cut(strings.ReplaceAll(id, ",", " "), " ")
	statement, _ := spec.Find(id)
	return strings.NewReplacer("`", "", "**", "").Replace(statement.Text)
}

// dict is what a template gets that wants several values, each after its name.
func dict(pairs ...any) map[string]any {
	values := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		values[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return values
}

// frame is what pages share.
var frame = sync.OnceValues(func() (*template.Template, error) {
	return template.New("frame").Funcs(functions).ParseFS(templateFiles, "pages/frame.html")
})

// templates are the parsed ones, by name.
var templates sync.Map

// templateOf is the frame with a template.
func templateOf(name string) (*template.Template, error) {
	if t, ok := templates.Load(name); ok {
		return t.(*template.Template), nil
	}
	base, err := frame()
	if err != nil {
		return nil, err
	}
	t, err := base.Clone()
	if err == nil {
		t, err = t.ParseFS(templateFiles, "pages/"+name+".html")
	}
	if err == nil {
		templates.Store(name, t)
	}
	return t, err
}

// shown is what a template gets.
type shown struct {
	*Request
	Data any
	Err  string // why there is no data

	Untyped []string // variables that a person has to confirm first
	Banner  *banner
	Undo    string // the change that can be undone; "": none
}

// render writes a part of a template. Characters that control or hide are replaced, whatever file they come from.
func render(w io.Writer, name, part string, data any) error {
	t, err := templateOf(name)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	if err := t.ExecuteTemplate(&text, part, data); err != nil {
		return err
	}
	_, err = io.WriteString(w, visible(text.String()))
	return err
}

// visible replaces everything that controls or hides but ends of lines.
func visible(text string) string {
	lines := strings.Split(strings.ReplaceAll(text, "\t", " "), "\n")
	for i := range lines {
		lines[i] = term.OneLine(lines[i])
	}
	return strings.Join(lines, "\n")
}

// pageAt finds the page of an address in a list.
func pageAt(pages []*Page, address string) (p *Page, rest string) {
	name, rest, _ := strings.Cut(address, "/")
	if name == "" {
		return pages[0], ""
	}
	for _, p := range pages {
		if p.Name == name {
			return p, rest
		}
	}
	return nil, ""
}

// servePage answers /page/ADDRESS with the fragment that the script puts in place.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	p, rest := pageAt(pages, addressIn(r, "/page/"))
	if p == nil {
		http.Error(w, "there is no page with this name", http.StatusNotFound)
		return
	}
	q := s.request(r)
	q.Page, q.Rest, q.Query, q.Heading = p, rest, r.URL.Query(), p.Title
	view := shown{Request: q, Undo: s.undoable()}
	var err error
	if view.Data, err = p.Data(q); err != nil {
		view.Err = err.Error()
	}
	if open := (*untyped)(nil); errors.As(err, &open) {
		view.Untyped = open.pairs
	}
	view.Banner = bannerOf(q)
	s.write(w, p.Name, "frame", view)
}

// servePart answers /part/ADDRESS with what stands in a page.
func (s *Server) servePart(w http.ResponseWriter, r *http.Request) {
	p, rest := pageAt(parts, addressIn(r, "/part/"))
	if p == nil {
		http.Error(w, "there is no part with this name", http.StatusNotFound)
		return
	}
	q := s.request(r)
	q.Page, q.Rest, q.Query = p, rest, r.URL.Query()
	data, err := p.Data(q)
	if err != nil {
		s.write(w, "change", "wrong", err.Error())
		return
	}
	s.write(w, p.template(), "page", shown{Request: q, Data: data})
}

// write answers with a part of a template.
func (s *Server) write(w http.ResponseWriter, name, part string, data any) {
	var text bytes.Buffer
	if err := render(&text, name, part, data); err != nil {
		fmt.Fprintf(s.options.Messages, "vkloader: page %s: %v\n", name, err)
		http.Error(w, "the page cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(text.Bytes())
}
