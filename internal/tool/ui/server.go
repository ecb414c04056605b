package ui

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/ui/guard"
)

// Options are what the command was told.
type Options struct {
	Port     int           // of 127.0.0.1; 0: any
	Socket   string        // a socket of the file system instead; "": none
	ReadOnly bool          // refuse every change
	System   bool          // root's: only files of the system are changed
	Idle     time.Duration // without a request, the server ends after this time
	Messages io.Writer
	Started  func(address string) // is told the address once the server listens
	Used     func()               // is called when the token was used; nil: nobody
}

// Server is the page's server.
type Server struct {
	options Options
	tool    Tool
	guard   *guard.Guard
	idle    *idle
	live    live

	changing sync.Mutex // one change at a time
	undo     []undoStep
}

// Serve answers until the context ends, or nobody has asked for long enough.
func Serve(ctx context.Context, tool Tool, options Options) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	s := &Server{options: options, tool: tool, guard: guard.New(options.ReadOnly)}
	s.guard.Used = options.Used
	s.idle = &idle{after: options.Idle, timer: time.AfterFunc(options.Idle, func() { cancel(errIdle) })}
	s.live.look = s.running
	listener, address, err := listen(&options)
	if err != nil {
		return err
	}
	server := &http.Server{Handler: s.idle.counts(s.guard.Wrap(http.HandlerFunc(s.serve), open)), ReadHeaderTimeout: 10 * time.Second,
		MaxHeaderBytes: 1 << 18, BaseContext: func(net.Listener) context.Context { return ctx }}
	options.Started(address + "/#token=" + s.guard.Token())
	stopped := context.AfterFunc(ctx, func() { _ = server.Close() })
	defer stopped()
	err = server.Serve(listener)
	if options.Socket != "" {
		removeSocket(options.Socket)
	}
	if cause := context.Cause(ctx); errors.Is(cause, errIdle) {
		fmt.Fprintf(options.Messages, "vkloader: no request for %s: the page ends\n", options.Idle)
		return nil
	} else if cause != nil {
		return nil
	}
	return err
}

var errIdle = errors.New("idle")

// listen opens the port or the socket, and gives the address for a browser.
func listen(o *Options) (net.Listener, string, error) {
	if o.Socket != "" {
		l, err := listenSocket(o.Socket)
		return l, "http://localhost:" + strconv.Itoa(max(o.Port, 1)), err
	}
	l, err := net.Listen("tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(o.Port)))
	if err != nil {
		return nil, "", err
	}
	return l, "http://" + l.Addr().String(), nil
}

// open tells what is answered without a session: the page without anything on it.
func open(path string) bool {
	return path == "/" || path == "/favicon.ico" || strings.HasPrefix(path, "/assets/")
}

//go:embed assets
var assetFiles embed.FS

// asset is a file of the page. The colours of the picture are those of every picture.
func asset(name string) ([]byte, error) {
	if name == "assets/picture.css" {
		return []byte(survey.PictureStyle()), nil
	}
	return assetFiles.ReadFile(name)
}

// kinds are the media types of assets.
var kinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}

// serve answers a request that may be answered.
func (s *Server) serve(w http.ResponseWriter, r *http.Request) {
	path := r.URL.Path
	post := r.Method == http.MethodPost
	switch {
	case path == "/" && !post:
		s.write(w, "shell", "shell", pages)
	case strings.HasPrefix(path, "/assets/") && !post:
		text, err := asset(path[1:])
		if err != nil {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", kinds[path[strings.LastIndexByte(path, '.'):]])
		_, _ = w.Write(text)
	case strings.HasPrefix(path, "/page/") && !post:
		s.servePage(w, r)
	case path == reportPath && !post:
		serveReport(w, r)
	case strings.HasPrefix(path, "/part/") && !post:
		s.servePart(w, r)
	case path == "/live" && !post:
		s.serveLive(w, r)
	case strings.HasPrefix(path, "/change/") && post:
		s.serveChange(w, r)
	case path == "/undo" && post:
		s.serveUndo(w, r)
	default:
		http.NotFound(w, r)
	}
}

// request is what a page or a change gets.
func (s *Server) request(r *http.Request) *Request {
	return &Request{Context: r.Context(), Tool: s.tool, ReadOnly: s.options.ReadOnly, System: s.options.System}
}

// idle ends a server that nobody asks.
type idle struct {
	after time.Duration
	lock  sync.Mutex
	open  int // requests that are not answered yet
	timer *time.Timer
}

// counts counts the requests of a handler; while one is not answered, as while events are sent, nothing ends.
func (i *idle) counts(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
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
		next.ServeHTTP(w, r)
	})
}

// listenSocket makes a socket that its user alone may open. It is made in a directory of the user's own and then gets its
// name, so that it never is there with other permissions. Paths may be used because nobody else can change where they lead.
func listenSocket(path string) (net.Listener, error) {
	if info, err := os.Lstat(path); err == nil {
		if info.Mode()&fs.ModeSocket == 0 {
			return nil, fmt.Errorf("--socket %s: a file that is no socket is there", path)
		}
		if c, err := net.Dial("unix", path); err == nil {
			c.Close()
			return nil, fmt.Errorf("--socket %s: another program listens there", path)
		} else if !errors.Is(err, syscall.ECONNREFUSED) {
			return nil, fmt.Errorf("--socket: %w", err)
		}
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil {
		return nil, fmt.Errorf("--socket: %w", err)
	} else if info.Mode().Perm()&0o022 != 0 && info.Mode()&fs.ModeSticky == 0 {
		return nil, fmt.Errorf("--socket: others may write to %s, and replace the socket", filepath.Dir(path))
	}
	directory, err := machine.TemporaryDirectory(filepath.Dir(path), ".vkloader-ui-")
	if err != nil {
		return nil, fmt.Errorf("--socket: %w", err)
	}
	defer os.RemoveAll(directory)
	hidden := filepath.Join(directory, "s")
	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: hidden, Net: "unix"})
	if err != nil {
		return nil, fmt.Errorf("--socket: %w", err)
	}
	l.SetUnlinkOnClose(false)
	if err = os.Chmod(hidden, 0o600); err == nil {
		err = os.Rename(hidden, path)
	}
	if err != nil {
		l.Close()
		return nil, fmt.Errorf("--socket: %w", err)
	}
	return l, nil
}

// removeSocket removes the socket of a server that has ended, unless another one listens there meanwhile.
func removeSocket(path string) {
	if c, err := net.Dial("unix", path); err == nil {
		c.Close()
		return
	}
	if info, err := os.Lstat(path); err == nil && info.Mode()&fs.ModeSocket != 0 {
		_ = os.Remove(path)
	}
}
