package ui

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"os/exec"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/tool/term"
)

// launchPage starts a program that the user names, and shows its output and the loader's log.
var launchPage = &Page{Name: "start", Title: "Start a program", Data: launchOf}

// launches is the data of the page.
type launches struct {
	Refusal        string // why the page starts no program; "": it does
	Configurations []string
}

func launchOf(r *Request) (any, error) {
	view := &launches{Refusal: r.launchRefusal()}
	found, err := r.Tool.Settings()
	if err != nil {
		return nil, err
	}
	list, err := found.Configurations()
	for _, c := range list {
		if c.Problem == "" {
			view.Configurations = append(view.Configurations, c.Name)
		}
	}
	return view, err
}

// launchRefusal returns the reason why the page starts no program; "": it does.
func (r *Request) launchRefusal() string {
	m := r.Tool.Machine()
	switch {
	case r.ReadOnly:
		return "vkloader ui was started with --read-only: it starts no program."
	case r.System:
		return "This page is root's: it starts no program."
	case m.Foreign():
		return "Programs below --root cannot be started."
	}
	return ""
}

// launch is the start of a program in a child of the server.
type launch struct {
	Directory string
	Variables []string
	Args      []string // a command line of the tool

	program string
}

// launchIn returns the start that a form describes. Its variables may name files, because the user has entered them.
func launchIn(r *Request) (*launch, error) {
	if why := r.launchRefusal(); why != "" {
		return nil, errors.New(why)
	}
	program, err := r.program()
	if err == nil && program == "" {
		err = errors.New("name a program")
	}
	if err != nil {
		return nil, err
	}
	l := &launch{Directory: strings.TrimSpace(r.Query.Get("directory")), program: program, Args: []string{"run"}}
	l.Variables = linesOf(r.Query.Get("variables"))
	for i, pair := range l.Variables {
		pair = strings.TrimPrefix(pair, "export ") // a line for a shell, as the page copies it
		l.Variables[i] = pair
		name, _, is := strings.Cut(pair, "=")
		if why := refusal(name); why != "" || !is {
			return nil, fmt.Errorf("the page refuses the variable %s: %s", name, term.Or(why, "it has no value"))
		}
	}
	if r.Query.Get("what") == "culprit" {
		l.Args = append(l.Args, "--find-culprit", "--fine-after",
			term.Or(strings.TrimSpace(r.Query.Get("fine")), "20s"))
	} else if level := r.Query.Get("log"); level != "" {
		l.Variables = append(l.Variables, variables.Debug.Name()+"="+level)
	}
	l.Args = append(append(l.Args, "--", program), linesOf(r.Query.Get("arguments"))...)
	return l, nil
}

// linesOf returns the lines of a field that are not empty.
func linesOf(text string) (list []string) {
	for line := range strings.Lines(text) {
		if line = strings.TrimRight(line, "\r\n"); line != "" {
			list = append(list, line)
		}
	}
	return list
}

// serveLaunch starts a program, and answers with its lines as they come and with its end.
func (s *Server) serveLaunch(w http.ResponseWriter, r *http.Request) {
	q := s.request(r)
	q.Query = r.PostForm
	out := &lineWriter{send: stream(w)}
	l, err := launchIn(q)
	end := ""
	if err == nil {
		end, err = s.launch(q, l, out)
	}
	if err != nil {
		end = err.Error()
	}
	out.send(map[string]string{"end": end})
}

// launch runs a program to its end, and returns how it ended.
func (s *Server) launch(q *Request, l *launch, out *lineWriter) (end string, err error) {
	s.launching.Lock() // the settings of an earlier program are restored first
	defer s.launching.Unlock()
	restore := func() error { return nil }
	if q.Query.Get("configuration") != "" {
		if restore, err = s.lend(q, l.program); err != nil {
			return "", err
		}
	}
	out.send(map[string]string{"line": "$ " + string(Line(l.Args)), "level": "vkloader"})
	told, err := json.Marshal(&work{Launch: l})
	if err == nil {
		err = q.Tool.Child(q, told, l.Variables, out, out)
	}
	out.end()
	end = "The program has ended."
	switch code := (*exec.ExitError)(nil); {
	case q.Err() != nil:
		end = "Stopped."
	case errors.As(err, &code):
		end = "The program has ended: " + code.Error() + "."
	case err != nil && !errors.Is(err, exec.ErrWaitDelay): // its own child processes still write
		end = err.Error()
	}
	if err := restore(); err != nil {
		end += " The configuration stays: " + err.Error()
	}
	return end, nil
}

// lend gives a program a configuration, and returns the function that restores the settings.
func (s *Server) lend(q *Request, program string) (restore func() error, err error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	use := *q
	use.Query = url.Values{"name": {q.Query.Get("configuration")}, "app": {program}}
	before := len(s.undo)
	p, m, err := s.prepare(&use, "use")
	if err == nil {
		err = s.apply(&use, p, m)
	}
	if err != nil {
		return nil, err
	}
	after := len(s.undo)
	return func() error {
		s.changing.Lock()
		defer s.changing.Unlock()
		if after == before {
			return nil // the program had these settings before
		}
		if len(s.undo) != after {
			return errors.New("other changes were made meanwhile")
		}
		_, err := s.undoLast()
		return err
	}, nil
}

// maxText is the maximum length of a line on the page. Longer lines are split.
const maxText = 1 << 14

// lineWriter sends the lines of a program with their levels.
type lineWriter struct {
	send func(line map[string]string)
	text []byte // the unfinished line
}

// Write implements io.Writer.
func (l *lineWriter) Write(text []byte) (int, error) {
	taken := len(text)
	for {
		line, rest, ended := bytes.Cut(text, []byte("\n"))
		l.text = append(l.text, line...)
		if !ended && len(l.text) < maxText {
			break
		}
		l.end()
		text = rest
	}
	return taken, nil
}

// end sends the unfinished line with its level: that of the loader's log, "vkloader" for a message of the tool,
// "program" for any other.
func (l *lineWriter) end() {
	if len(l.text) > 0 {
		line := strings.ReplaceAll(string(l.text), "\t", "    ")
		l.text = l.text[:0]
		level := term.Either(strings.HasPrefix(line, "vkloader: "), "vkloader", "program")
		if of, is := loaders.ParseLog(line); is {
			level = "loader " + string(of.Severity)
		}
		l.send(map[string]string{"line": term.OneLine(line), "level": level})
	}
}
