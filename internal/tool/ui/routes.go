package ui

import (
	"net/http"
	"strings"
)

// Kind is the effect of a route besides its answer.
type Kind string

// Kinds of routes.
const (
	Reads     Kind = "reads"            // nothing
	Remembers Kind = "remembers"        // changes the server's memory alone
	Starts    Kind = "starts processes" // starts a child that loads drivers and layers
	Writes    Kind = "writes"           // changes files, through a child
)

// Route is a line of the table of everything that the server answers.
type Route struct {
	Kind    Kind
	Method  string
	Pattern string // of http.ServeMux
	Open    bool   // without the secret
	handler func(*Server, http.ResponseWriter, *http.Request)
}

// Routes is the table. Reading is GET and starts no process; everything else is POST from the page itself.
var Routes = []Route{
	{Reads, http.MethodGet, "/{$}", true, (*Server).serveShell},
	{Reads, http.MethodGet, "/assets/{name}", true, (*Server).serveAsset},
	{Reads, http.MethodGet, "/page/{address...}", false, (*Server).servePage},
	{Reads, http.MethodGet, "/part/{address...}", false, (*Server).servePart},
	{Reads, http.MethodGet, "/live/programs", false, (*Server).serveLive},
	{Reads, http.MethodGet, "/live/process/{pid}", false, (*Server).serveEnd},
	{Reads, http.MethodGet, reportPath, false, (*Server).serveReport},
	{Remembers, http.MethodPost, "/session", true, (*Server).serveSession},
	{Remembers, http.MethodPost, "/typed", false, (*Server).serveTyped},
	{Starts, http.MethodPost, "/start/{address...}", false, (*Server).serveStart},
	{Writes, http.MethodPost, "/change/{name}", false, (*Server).serveChange},
	{Writes, http.MethodPost, "/undo", false, (*Server).serveUndo},
}

// Handler answers the requests of the table, and refuses all others.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	for _, route := range Routes {
		handle := func(w http.ResponseWriter, r *http.Request) {
			if route.Kind == Writes && s.options.ReadOnly {
				http.Error(w, "vkloader ui was started with --read-only", http.StatusForbidden)
				return
			}
			route.handler(s, w, r)
		}
		if !route.Open {
			handle = s.guard.Secret(s.idle.counts(handle))
		}
		mux.HandleFunc(route.Method+" "+route.Pattern, handle)
	}
	mux.HandleFunc("/", s.guard.Secret(http.NotFound))
	return s.guard.Outer(mux)
}

// serveSession answers with the secret for the token.
func (s *Server) serveSession(w http.ResponseWriter, r *http.Request) { s.guard.Exchange(w, r) }

// addressIn is the part of a request's address after the route.
func addressIn(r *http.Request, route string) string { return strings.TrimPrefix(r.URL.Path, route) }
