package ui

import (
	"bytes"
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"vkloader/internal/tool/bundle"
	"vkloader/internal/tool/term"
)

// reportPage shows a collection. reportStart makes one.
var (
	reportPage  = &Page{Name: "report", Title: "Report", Data: reportOf}
	reportStart = &Page{Name: "report", Title: "Collecting the parts of the report"}
)

// reportPath is the address of the archive.
const reportPath = "/report/" + bundle.Directory + ".tar.gz"

// collection is the output of one run of "bundle". The user saves exactly the parts that the page shows.
type collection struct {
	ID, App string
	Still   bool
	parts   []bundle.Part
}

// lastReport is the last collection of this process; nil: none.
var lastReport atomic.Pointer[collection]

// collectionOf returns the last collection if it has an ID, and otherwise nil.
func collectionOf(id string) *collection {
	if c := lastReport.Load(); c != nil && c.ID == id {
		return c
	}
	return nil
}

// report is the data of the page. The address does not fill in the form for a collection, whose button loads the
// program's loader.
type report struct {
	*collection
	Collected bool
	Parts     []reportPart
	Part      *bundle.Part // the shown part
	Line      string       // the command line that writes the same parts
	Archive   string       // the address of the archive
	Size      int          // of all included texts
	In        int          // the number of included parts
	Failed    int
}

type reportPart struct {
	bundle.Part
	In bool
}

// reportOf answers report: the form for a collection, a collection, or a part of one.
func reportOf(r *Request) (any, error) {
	found := collectionOf(r.Query.Get("id"))
	view := &report{collection: found, Collected: found != nil}
	if found == nil {
		return view, nil
	}
	if name := r.Ref("part"); name != "" {
		at := slices.IndexFunc(found.parts, func(p bundle.Part) bool { return p.Name == name })
		if at < 0 {
			return view, errors.New("the report has no part " + name)
		}
		view.Part, r.Heading = &found.parts[at], name
		return view, nil
	}
	args, query := bundleOf(found.App, found.Still), url.Values{"id": {found.ID}}
	kept := r.Refs("part-in")
	for _, p := range found.parts {
		in := !r.Query.Has("chosen") || slices.Contains(kept, p.Name)
		view.Parts = append(view.Parts, reportPart{p, in})
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
	view.Line, view.Archive = string(Line(args)), reportPath+"?"+query.Encode()
	return view, nil
}

// bundleOf returns the command line that collects for a program; still: without loading drivers.
func bundleOf(app string, still bool) []string {
	args := []string{"bundle"}
	if app != "" {
		args = append(args, "--app", app)
	}
	if still {
		args = append(args, "--no-probe")
	}
	return args
}

// collectReport makes all parts in a child process, stores them, and returns the page with them.
func (s *Server) collectReport(r *Request) (string, error) {
	app, still := strings.TrimSpace(r.Query.Get("app")), r.Query.Get("still") != ""
	var list []bundle.Part
	if err := r.Started(append(bundleOf(app, still), "--parts")...).Decode(&list); err != nil {
		return "", err
	}
	found := &collection{strings.ToLower(rand.Text()), app, still, list}
	lastReport.Store(found)
	r.Query, r.Address = url.Values{"id": {found.ID}}, "report?id="+found.ID
	data, err := reportOf(r)
	if err != nil {
		return "", err
	}
	return render("report", shown{Request: r, Data: data})
}

// serveReport answers with the archive of a collection without the removed parts. It writes no file.
func (*Server) serveReport(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	found := collectionOf(query.Get("id"))
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

// sizeOf formats a size.
func sizeOf(n int) string {
	if n < 10_000 {
		return term.Count(n, "byte")
	}
	return fmt.Sprintf("%d kB", (n+999)/1000)
}
