package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// ChildOption is the option of "vkloader ui" for a child process that works for one request of the page.
const ChildOption = "--child"

// starts lists the parts that a button starts: /start/NAME. Their Data runs in a child of the server, which loads drivers
// and layers in further child processes.
var starts = []*Page{overviewStart, pictureStart, tryStart, reportStart}

// work is the task of a child process, on its standard input.
type work struct {
	Part, Rest string
	Query      url.Values
	Run        []string // a command line instead of a part
	Launch     *launch  // the start of a program instead of a part
}

// worked is the answer of a child process, on its standard output.
type worked struct {
	HTML string
	Err  string
	Ran  *Ran
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
	r := &Request{Context: ctx, Tool: tool, Page: p, Rest: w.Rest, Query: w.Query, ReadOnly: options.ReadOnly, System: options.System, typed: &typed{}}
	r.typed.add(strings.Fields(strings.Join(w.Query["env"], " "))) // the server has checked them
	data, err := p.Data(r)
	if err != nil {
		answer.Err = err.Error()
		return json.NewEncoder(out).Encode(&answer)
	}
	if answer.HTML, err = render(p.template(), "page", shown{Request: r, Data: data}); err != nil {
		return err
	}
	return json.NewEncoder(out).Encode(&answer)
}

// inChild does work in a child process, which ends with the request.
func (r *Request) inChild(w *work) (*worked, error) {
	told, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	text, err := r.Tool.Child(r, told)
	if err != nil {
		return nil, err
	}
	answer := &worked{}
	if err := json.Unmarshal(text, answer); err != nil {
		return nil, fmt.Errorf("the child's answer cannot be read: %w", err)
	}
	return answer, nil
}

// Started is Tool.Run in a child process, which may load drivers and layers.
func (r *Request) Started(args ...string) *Ran {
	answer, err := r.inChild(&work{Run: args})
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
	address := addressIn(r, "/start/")
	p, rest := pageAt(starts, address)
	if p == nil || address == "" {
		http.Error(w, "nothing with this name can be started", http.StatusNotFound)
		return
	}
	q := s.request(r)
	q.Page, q.Rest, q.Query = p, rest, r.PostForm
	slowly(w, r, p.Title, func() (string, error) {
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
			return s.collected(q)
		}
		answer, err := q.inChild(&work{Part: p.Name, Rest: rest, Query: q.Query})
		if err == nil && answer.Err != "" {
			err = failure(answer.Err)
		}
		if err != nil {
			return "", err
		}
		return answer.HTML, nil
	})
}

// progressEvery is the interval of progress messages.
const progressEvery = time.Second

// slowly answers with lines of JSON: {"progress": TEXT} during the work, then {"html": TEXT}.
func slowly(w http.ResponseWriter, r *http.Request, title string, do func() (string, error)) {
	w.Header().Set("Content-Type", lines)
	flush := func(line map[string]string) {
		_ = json.NewEncoder(w).Encode(line)
		_ = http.NewResponseController(w).Flush()
	}
	begun := time.Now()
	flush(map[string]string{"progress": title + " …"})
	done := make(chan string, 1)
	go func() {
		html, err := do()
		if err != nil {
			html, _ = render("change", "wrong", err)
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
		case <-r.Context().Done():
			<-done // the child ends with the request
			return
		case <-tick.C:
			flush(map[string]string{"progress": fmt.Sprintf("%s … %.0f s", title, time.Since(begun).Seconds())})
		}
	}
}

// lines is the media type of streamed answers.
const lines = "application/x-ndjson"
