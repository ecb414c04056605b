package ui

import (
	"net/http"
	"strings"
)

// Kind is the side effect of a route.
type Kind string

// Kinds of routes.
const (
	Reads     Kind = "reads"            // no side effect
	Remembers Kind = "remembers"        // changes only the server's memory
	Starts    Kind = "starts processes" // starts a child process that loads drivers and layers
	Writes    Kind = "writes"           // changes files through a child process
)

// Route is an entry in the table of all requests.
type Route struct {
	Kind    Kind
	Method  string
	Pattern string // for http.ServeMux
	Open    bool   // needs no secret
	handler func(*Server, http.ResponseWriter, *http.Request)
}

// Routes is the table. GET requests only read and start no process. All others are POST requests from the page itself.
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

// Handler answers the requests in the table and refuses all others.
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

// serveSession answers a token with the secret.
func (s *Server) serveSession(w http.ResponseWriter, r *http.Request) { s.guard.Exchange(w, r) }

// addressIn returns the part of a request's path after the route.
func addressIn(r *http.Request, route string) string { return strings.TrimPrefix(r.URL.Path, route) }
