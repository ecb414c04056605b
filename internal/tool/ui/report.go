package ui

import (
	"bytes"
	"crypto/rand"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"vkloader/internal/tool/bundle"
	"vkloader/internal/tool/term"
)

// reportPage shows a collection. reportStart makes one.
var (
	reportPage  = &Page{Name: "report", Title: "Report", Data: reportOf}
	reportStart = &Page{Name: "report", Title: "Collecting the parts of the report"}
)

// reportPath is where the archive is.
const reportPath = "/report/" + bundle.Directory + ".tar.gz"

// mostReports is how many collections are kept: the browser's Back leads to earlier ones.
const mostReports = 3

// collection is what one run of "bundle" collected. What is saved is what was looked through.
type collection struct {
	id    string
	app   string
	still bool
	parts []bundle.Part
}

// reports are the last collections of this process.
type reports struct {
	lock sync.Mutex
	list []*collection
}

var collected reports

// find is the collection of an id; nil when it is not kept.
func (c *reports) find(id string) *collection {
	c.lock.Lock()
	defer c.lock.Unlock()
	for _, one := range c.list {
		if one.id == id {
			return one
		}
	}
	return nil
}

func (c *reports) add(one *collection) {
	c.lock.Lock()
	defer c.lock.Unlock()
	c.list = append(c.list, one)
	c.list = slices.Clone(c.list[max(len(c.list)-mostReports, 0):])
}

// report is the data of the page.
type report struct {
	Collected bool
	ID, App   string
	Still     bool
	Parts     []reportPart
	Part      *bundle.Part // that is read
	Line      string       // the command line that writes the same parts
	Archive   string       // the address of the archive
	Size      int          // of all texts that are in
	In        int          // how many parts are in
	Failed    int
}

type reportPart struct {
	bundle.Part
	In   bool
	Size int
}

// reportOf answers report: the form for a collection, a collection, or a part of one.
func reportOf(r *Request) (any, error) {
	view := &report{} // an address fills nothing in: the button beside it would load the program's loader
	found := collected.find(r.Query.Get("id"))
	if found == nil {
		return view, nil
	}
	view.Collected, view.ID, view.App, view.Still = true, found.id, found.app, found.still
	if name := r.Ref("part"); name != "" {
		return view, view.read(r, found, name)
	}
	args, query := bundleOf(found.app, found.still), url.Values{"id": {found.id}}
	kept := r.Refs("part-in")
	for _, p := range found.parts {
		in := !r.Query.Has("chosen") || slices.Contains(kept, p.Name)
		view.Parts = append(view.Parts, reportPart{p, in, len(p.Text)})
		if p.Failed != "" {
			view.Failed++
		}
		if !in {
			args = append(args, "--without", p.Name)
			query.Add("without", p.Name)
			continue
		}
		view.In++
		view.Size += len(p.Text)
	}
	view.Line, view.Archive = Line(args), reportPath+"?"+query.Encode()
	return view, nil
}

// read shows one part.
func (view *report) read(r *Request, found *collection, name string) error {
	at := slices.IndexFunc(found.parts, func(p bundle.Part) bool { return p.Name == name })
	if at < 0 {
		return failure("the report has no part " + name)
	}
	view.Part, r.Heading = &found.parts[at], name
	return nil
}

// bundleOf is the command line that collects for a program; still: nothing is loaded.
func bundleOf(app string, still bool) []string {
	args := []string{"bundle"}
	if app != "" {
		args = append(args, "--app", app)
	}
	if still {
		args = append(args, "--still")
	}
	return args
}

// collected has a child make all parts, keeps them, and returns the page with them.
func (s *Server) collected(r *Request) (string, error) {
	app, still := strings.TrimSpace(r.Query.Get("app")), r.Query.Get("still") != ""
	var list []bundle.Sent
	if err := r.Started(append(bundleOf(app, still), "--part", "*")...).Decode(&list); err != nil {
		return "", err
	}
	found := &collection{id: strings.ToLower(rand.Text()), app: app, still: still, parts: bundle.Received(list)}
	collected.add(found)
	r.Query = url.Values{"id": {found.id}}
	r.Address = "report?id=" + found.id
	data, err := reportOf(r)
	if err != nil {
		return "", err
	}
	var text bytes.Buffer
	err = render(&text, "report", "page", shown{Request: r, Data: data})
	return text.String(), err
}

// serveReport answers with the archive of a collection, without the removed parts. It writes no file.
func (*Server) serveReport(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	found := collected.find(query.Get("id"))
	if found == nil {
		http.Error(w, "this report is no longer available: collect it again", http.StatusGone)
		return
	}
	var archive bytes.Buffer
	parts, err := bundle.Without(found.parts, query["without"])
	if err == nil {
		err = bundle.Write(&archive, parts)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	w.Header().Set("Content-Type", "application/gzip")
	w.Header().Set("Content-Disposition", `attachment; filename="`+bundle.Directory+`.tar.gz"`)
	w.Header().Set("Content-Length", fmt.Sprint(archive.Len()))
	_, _ = w.Write(archive.Bytes())
}

// Bytes is a size in words.
func (p reportPart) Bytes() string { return sizeOf(p.Size) }

// Total is the size of all that is in, in words.
func (view *report) Total() string { return sizeOf(view.Size) }

func sizeOf(n int) string {
	if n < 10_000 {
		return term.Count(n, "byte")
	}
	return fmt.Sprintf("%d kB", (n+999)/1000)
}
