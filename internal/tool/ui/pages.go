package ui

import (
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"

	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/term"
	"vkloader/spec"
)

// Page is a page. Its address is #/NAME.
type Page struct {
	Name  string
	Title string

	// Data collects the template's data.
	Data func(r *Request) (any, error)
}

// pages lists all pages in the order of the navigation. The first has the empty address.
var pages = []*Page{overviewPage, programsPage, chainPage, configurationsPage, launchPage, layersPage, filesPage,
	reportPage}

// parts lists the sections that a page loads on demand: /part/NAME.
var parts = []*Page{picturePart, exportPart, itemPart, bannerPart}

// Request is a request for a page.
type Request struct {
	context.Context
	Tool     Tool
	Page     *Page
	Rest     string     // the address after the page's name
	Query    url.Values // of the address, or the form's fields
	ReadOnly bool       // refuse changes
	System   bool       // changes are for all users: root runs the page

	Variables []string // NAME=VALUE, which the user has entered for the program

	Address string // the page's address without "#" if Data changes it
	Heading string // the page's heading if it differs from the title

	tell func(trial string) // receives the results of trials
}

// Refs returns the values of a field that a template has written with {{ref}}.
func (r *Request) Refs(field string) (list []string) {
	for _, value := range r.Query[field] {
		if text, err := url.QueryUnescape(value); err == nil {
			list = append(list, text)
		}
	}
	return list
}

// Ref returns the first value of Refs; "" without one.
func (r *Request) Ref(field string) string {
	return strings.Join(r.Refs(field)[:min(len(r.Refs(field)), 1)], "")
}

//go:embed pages/*.html
var templateFiles embed.FS

// functions are the functions of every template.
var functions = template.FuncMap{
	"ref":   url.QueryEscape,
	"path":  url.PathEscape,
	"or2":   term.Or,
	"base":  machine.Style.Base,
	"size":  sizeOf,
	"count": term.Count,
	"dict":  dict,
	"rule":  rule,
	"id":    id,
	"expiries": func() map[string]string {
		return map[string]string{"": "as it is", "8h": "8 hours from now", "7d": "7 days from now",
			"90m": "90 minutes from now", "never": "it is removed"}
	},
}

// id returns an element ID for a name.
func id(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:6])
}

// rule returns the text of a statement without its Markdown; "" for an unknown one.
func rule(id string) string {
	id, _, _ = strings.Cut(strings.ReplaceAll(id, ",", " "), " ")
	statement, _ := spec.Find(id)
	return strings.NewReplacer("`", "", "**", "").Replace(statement.Text)
}

// dict returns several named values as one template argument.
func dict(pairs ...any) map[string]any {
	values := map[string]any{}
	for i := 0; i+1 < len(pairs); i += 2 {
		values[fmt.Sprint(pairs[i])] = pairs[i+1]
	}
	return values
}

// templates has the templates of all pages and parts, by their names.
var templates = sync.OnceValues(func() (*template.Template, error) {
	return template.New("").Funcs(functions).ParseFS(templateFiles, "pages/*.html")
})

// shown is the data of a template.
type shown struct {
	*Request
	Data any
	Body template.HTML // of a page, in its frame
	Err  string        // the reason if there is none

	Banner *banner
	Undo   string // the change to undo; "": none
	Undos  int    // the number of changes that can be undone
}

// render returns a template with its data. It replaces control and invisible characters.
func render(name string, data any) (string, error) {
	t, err := templates()
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = t.ExecuteTemplate(&text, name, data)
	return term.Text(text.String()), err
}

// pageAt returns the page of an address in a list.
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

// servePage answers /page/ADDRESS with the page's HTML fragment.
func (s *Server) servePage(w http.ResponseWriter, r *http.Request) {
	p, rest := pageAt(pages, r.PathValue("address"))
	if p == nil {
		http.Error(w, "there is no page with this name", http.StatusNotFound)
		return
	}
	q := s.request(r)
	q.Page, q.Rest, q.Query, q.Heading = p, rest, r.URL.Query(), p.Title
	view := shown{Request: q}
	view.Undo, view.Undos = s.undoable()
	var err error
	if view.Data, err = p.Data(q); err == nil {
		var body string
		body, err = render(p.Name, view)
		view.Body = template.HTML(body)
	}
	if err != nil {
		view.Err = err.Error()
	}
	view.Banner = bannerOf(q)
	s.write(w, "frame", view)
}

// servePart answers /part/ADDRESS with the part's HTML fragment.
func (s *Server) servePart(w http.ResponseWriter, r *http.Request) {
	p, rest := pageAt(parts, r.PathValue("address"))
	if p == nil {
		http.Error(w, "there is no part with this name", http.StatusNotFound)
		return
	}
	q := s.request(r)
	q.Page, q.Rest, q.Query = p, rest, r.URL.Query()
	data, err := p.Data(q)
	if err != nil {
		s.write(w, "wrong", err.Error())
		return
	}
	s.write(w, p.Name, shown{Request: q, Data: data})
}

// write answers with a template.
func (s *Server) write(w http.ResponseWriter, name string, data any) {
	text, err := render(name, data)
	if err != nil {
		fmt.Fprintf(s.options.Messages, "vkloader: page %s: %v\n", name, err)
		http.Error(w, "the page cannot be shown: "+err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = io.WriteString(w, text)
}
