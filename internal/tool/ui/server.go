package ui

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"vkloader/internal/decide/spawn"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/ui/guard"
)

// Options are the options of "vkloader ui".
type Options struct {
	Port     int           // of 127.0.0.1; 0: any
	ReadOnly bool          // refuse every change
	System   bool          // for root: change only system files
	Idle     time.Duration // the server ends after this time without a request
	Messages io.Writer
	Started  func(address string) // called with the address once the server listens
	Used     func()               // called after the use of a token; may be nil
	// receives a value for each new address that the user requests; nil: without a terminal
	Again <-chan struct{}
}

// Server is the page's server.
type Server struct {
	options Options
	tool    Tool
	guard   *guard.Guard
	idle    *idle

	changing sync.Mutex // held during a change
	undo     []undoStep

	launching sync.Mutex // held while a program of the page runs
}

// Time limits of a connection. Answers have no limit, because some follow running programs.
const (
	headerTime     = 5 * time.Second
	connectionIdle = time.Minute
	maxHeader      = 1 << 18
)

// Serve answers requests until the end of the context, or until Idle after the last request with the secret. It starts
// processes only for the user's own actions.
func Serve(ctx context.Context, tool Tool, options Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := NewServer(tool, options)
	s.idle = &idle{after: options.Idle, timer: time.AfterFunc(options.Idle, func() { cancel(errIdle) })}
	listener, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(options.Port)))
	if err != nil {
		return err
	}
	connections := &guard.Connections{}
	server := &http.Server{Handler: s.Handler(), ReadHeaderTimeout: headerTime, IdleTimeout: connectionIdle,
		MaxHeaderBytes: maxHeader,
		ErrorLog:       log.New(io.Discard, "", 0), ConnState: connections.Note, ConnContext: connections.Context,
		BaseContext: func(net.Listener) context.Context { return ctx }}
	print := func() { options.Started("http://" + listener.Addr().String() + "/#token=" + s.guard.Token()) }
	print()
	defer spawn.Judge(OnlyAsked)()
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stopped()
	go func() {
		for range options.Again {
			print()
		}
	}()
	err = server.Serve(listener)
	s.launching.Lock() // a program of the page has ended, and its settings are restored
	if cause := context.Cause(ctx); errors.Is(cause, errIdle) {
		fmt.Fprintf(options.Messages, "vkloader: no request for %s: the server ends\n", options.Idle)
		return nil
	} else if cause != nil {
		return nil
	}
	return err
}

// NewServer returns a server that does not listen yet.
func NewServer(tool Tool, options Options) *Server {
	s := &Server{options: options, tool: tool, guard: guard.New()}
	s.guard.Used = options.Used
	s.guard.Renewal = "run `vkloader ui` again"
	if options.Again != nil {
		s.guard.Renewal += ", or press Enter in the terminal where it runs, for a new address"
	}
	return s
}

// Token returns a new token for the page's address.
func (s *Server) Token() string { return s.guard.Token() }

// OnlyAsked refuses every new process except for this program's child that works for a request (Tool.Child).
func OnlyAsked(_ string, args []string) error {
	if slices.Contains(args, ChildOption) {
		return nil
	}
	return errors.New("the page starts processes only after a click")
}

var errIdle = errors.New("idle")

//go:embed assets
var assetFiles embed.FS

// kinds are the media types of assets.
var kinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml"}

// serveAsset answers with a file of the page. The style of pictures comes from package survey.
func (s *Server) serveAsset(w http.ResponseWriter, r *http.Request) {
	text, err := assetFiles.ReadFile(r.URL.Path[1:])
	if err != nil {
		http.NotFound(w, r)
		return
	}
	if r.URL.Path == "/assets/ui.css" {
		text = append(text, survey.PictureStyle()...)
	}
	w.Header().Set("Content-Type", kinds[path.Ext(r.URL.Path)])
	_, _ = w.Write(text)
}

// request returns the input of a page or a change.
func (s *Server) request(r *http.Request) *Request {
	variables, _ := url.QueryUnescape(r.Header.Get(VariablesHeader))
	return &Request{Context: r.Context(), Tool: s.tool, ReadOnly: s.options.ReadOnly, System: s.options.System,
		Variables: strings.Fields(variables)}
}

// idle ends a server after a time without requests.
type idle struct {
	after time.Duration
	lock  sync.Mutex
	open  int // the number of unanswered requests
	timer *time.Timer
}

// counts counts the unanswered requests of a handler, including those that stream events. The server does not end
// during one. A nil idle counts nothing.
func (i *idle) counts(next http.HandlerFunc) http.HandlerFunc {
	if i == nil {
		return next
	}
	return func(w http.ResponseWriter, r *http.Request) {
		i.lock.Lock()
		i.open++
		i.timer.Stop()
		i.lock.Unlock()
		defer func() {
			i.lock.Lock()
			defer i.lock.Unlock()
			if i.open--; i.open == 0 {
				i.timer.Reset(i.after)
			}
		}()
		next(w, r)
	}
}

// Kind is the side effect of a route.
type Kind string

// Kinds of routes.
const (
	Reads     Kind = "reads"            // no side effect
	Remembers Kind = "remembers"        // changes only the server's memory
	Starts    Kind = "starts processes" // starts a child process that loads drivers and layers
	Writes    Kind = "writes"           // changes files
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
	{Reads, http.MethodGet, "/{$}", true,
		func(s *Server, w http.ResponseWriter, _ *http.Request) { s.write(w, "shell", pages) }},
	{Reads, http.MethodGet, "/assets/{name}", true, (*Server).serveAsset},
	{Reads, http.MethodGet, "/page/{address...}", false, (*Server).servePage},
	{Reads, http.MethodGet, "/part/{address...}", false, (*Server).servePart},
	{Reads, http.MethodGet, "/live/programs", false, (*Server).serveLive},
	{Reads, http.MethodGet, "/live/process/{pid}", false, (*Server).serveEnd},
	{Reads, http.MethodGet, "/configuration/{file}", false, (*Server).serveConfiguration},
	{Reads, http.MethodGet, reportPath, false, (*Server).serveReport},
	{Remembers, http.MethodPost, "/session", true,
		func(s *Server, w http.ResponseWriter, r *http.Request) { s.guard.Exchange(w, r) }},
	{Starts, http.MethodPost, "/start/{address...}", false, (*Server).serveStart},
	{Starts, http.MethodPost, "/launch", false, (*Server).serveLaunch},
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
