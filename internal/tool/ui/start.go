package ui

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/term"
)

// ChildOption is the option of "vkloader ui" for a child process that works for one request of the page.
const ChildOption = "--child"

// starts lists the parts that a button starts: /start/NAME. Their Data runs in a child of the server, which loads
// drivers and layers in further child processes.
var starts = []*Page{overviewStart, pictureStart, tryStart, reportStart, devicesStart}

// work is the task of a child process, on its standard input.
type work struct {
	Part, Rest string
	Query      url.Values
	Variables  []string // that the user has entered
	Run        []string // a command line instead of a part
	Launch     *launch  // the start of a program instead of a part
}

// worked is a line of a child process on its standard output: the result of a trial, or at the end its answer.
type worked struct {
	Trial string
	HTML  string
	Err   string
	Ran   *Ran
}

// TrialWriter returns a function that writes the results of trials, as a child process does.
func TrialWriter(out io.Writer) func(doctor.Probe) {
	var lock sync.Mutex
	return func(p doctor.Probe) {
		lock.Lock()
		defer lock.Unlock()
		text := p.Name + ": " + string(p.Result) + term.Enclosed(": ", p.Detail, "") +
			term.Enclosed(": ", strings.Join(p.Devices, ", "), "")
		_ = json.NewEncoder(out).Encode(worked{Trial: term.OneLine(text)})
	}
}

// Child does the work of one request.
func Child(ctx context.Context, tool Tool, options Options, in io.Reader, out io.Writer) error {
	var w work
	if err := json.NewDecoder(in).Decode(&w); err != nil {
		return fmt.Errorf("ui %s is only for the page: %w", ChildOption, err)
	}
	if w.Launch != nil {
		return tool.Exec(w.Launch.Directory, w.Launch.Args...)
	}
	answer := worked{}
	if w.Run != nil {
		answer.Ran = tool.Run(ctx, w.Run...)
		answer.Ran.JSON, answer.Ran.Value = answer.Ran.Value != nil, nil
		return json.NewEncoder(out).Encode(&answer)
	}
	p, _ := pageAt(starts, w.Part)
	if p == nil {
		return fmt.Errorf("there is no part %q", w.Part)
	}
	r := &Request{Context: ctx, Tool: tool, Page: p, Rest: w.Rest, Query: w.Query, Variables: w.Variables,
		ReadOnly: options.ReadOnly, System: options.System}
	data, err := p.Data(r)
	if err != nil {
		answer.Err = err.Error()
		return json.NewEncoder(out).Encode(&answer)
	}
	if answer.HTML, err = render(p.Name, shown{Request: r, Data: data}); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(&answer)
}

// maxAnswer is the maximum length of a child's answer.
const maxAnswer = 256 << 20

// answers reads the lines of a child process. It passes the results of trials on, and keeps the answer.
type answers struct {
	rest   []byte
	tell   func(trial string)
	answer worked
}

// Write implements io.Writer.
func (a *answers) Write(text []byte) (int, error) {
	a.rest = append(a.rest, text...)
	if len(a.rest) > maxAnswer {
		return 0, errors.New("the child of the page answered too much")
	}
	for {
		line, rest, ended := bytes.Cut(a.rest, []byte("\n"))
		if !ended {
			return len(text), nil
		}
		a.rest, a.answer = rest, worked{}
		if err := json.Unmarshal(line, &a.answer); err != nil {
			return 0, fmt.Errorf("the child's answer cannot be read: %w", err)
		}
		if a.answer.Trial != "" && a.tell != nil {
			a.tell(a.answer.Trial)
		}
	}
}

// runChild does work in a child process, which ends with the request.
func (r *Request) runChild(w *work) (*worked, error) {
	told, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	var messages bytes.Buffer
	out := &answers{tell: r.tell}
	if err := r.Tool.Child(r, told, nil, out, &messages); err != nil {
		if r.Err() != nil {
			return nil, r.Err()
		}
		first, _, _ := strings.Cut(messages.String(), "\n")
		return nil, fmt.Errorf("the child of the page failed: %w %s", err, first)
	}
	return &out.answer, nil
}

// Started is Tool.Run in a child process, which may load drivers and layers.
func (r *Request) Started(args ...string) *Ran {
	answer, err := r.runChild(&work{Run: args})
	if err != nil || answer.Ran == nil {
		return &Ran{Args: args, Messages: fmt.Sprint(err), Code: -1}
	}
	if answer.Ran.JSON {
		answer.Ran.Value = json.RawMessage(answer.Ran.Out)
	}
	return answer.Ran
}

// serveStart answers /start/NAME with the progress of a child process, and then with its result.
func (s *Server) serveStart(w http.ResponseWriter, r *http.Request) {
	address := r.PathValue("address")
	p, rest := pageAt(starts, address)
	if p == nil || address == "" {
		http.Error(w, "nothing with this name can be started", http.StatusNotFound)
		return
	}
	q := s.request(r)
	q.Page, q.Rest, q.Query = p, rest, r.PostForm
	slowly(w, r, p.Title, func(tell func(string)) (string, error) {
		q.tell = tell
		subject, err := subjectOf(q)
		if err != nil {
			return "", err
		}
		if p == pictureStart {
			if err := loads(q, subject); err != nil {
				return "", err
			}
		}
		if p == reportStart {
			return s.collectReport(q)
		}
		answer, err := q.runChild(&work{Part: p.Name, Rest: rest, Query: q.Query, Variables: q.Variables})
		if err == nil && answer.Err != "" {
			err = errors.New(answer.Err)
		}
		if err != nil {
			return "", err
		}
		return answer.HTML, nil
	})
}

// progressEvery is the interval of progress messages.
const progressEvery = time.Second

// slowly answers with lines of JSON: {"progress": TEXT} during the work and {"trial": TEXT} for each text that the work
// tells, then {"html": TEXT}.
func slowly(w http.ResponseWriter, r *http.Request, title string, do func(tell func(string)) (string, error)) {
	flush := stream(w)
	begun := time.Now()
	flush(map[string]string{"progress": title + " …"})
	done, trials := make(chan string, 1), make(chan string)
	go func() {
		html, err := do(func(trial string) {
			select {
			case trials <- trial:
			case <-r.Context().Done():
			}
		})
		if err != nil {
			html, _ = render("wrong", err)
		}
		done <- html
	}()
	tick := time.NewTicker(progressEvery)
	defer tick.Stop()
	for {
		select {
		case html := <-done:
			flush(map[string]string{"html": html})
			return
		case trial := <-trials:
			flush(map[string]string{"trial": trial})
		case <-r.Context().Done():
			<-done // the child ends with the request
			return
		case <-tick.C:
			flush(map[string]string{"progress": fmt.Sprintf("%s … %.0f s", title, time.Since(begun).Seconds())})
		}
	}
}
