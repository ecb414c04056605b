package ui

import (
	"errors"
	"html/template"
	"slices"
	"strings"

	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/survey"
)

var chainPage = &Page{Name: "program", Title: "Chain", Below: "programs", Data: chainOf}

// chain is what the page of a program shows.
type chain struct {
	*subject
	Draft   *draft
	Before  *survey.Explanation
	After   *survey.Explanation // nil: no change
	Line    string              // the command line that would make the change
	Rows    []row
	More    int // rows that are not shown
	Find    string
	Loader  string
	Library string       // the loader that the picture's child loads; "": the tool's own
	Query   string       // of the address, with the draft
	All     template.URL // the page with more rows
	Note    string       // a remark about the change
	Wrong   string       // why the change cannot be made
	Say     string       // what a reader is told of the last step
	Sides   []side
	Still   bool // the picture is drawn without asking layers and devices: there are too many
}

// row is a layer or driver, in or out.
type row struct {
	explain.Item
	N       int
	In      bool
	First   bool // of the layers that are in
	Last    bool
	Now     string // what the draft says of it: on, off, auto; "": nothing
	Changed bool   // in and out with the draft is not what it is without
}

// maxRows is how many layers and drivers a page shows before it is asked for all.
const maxRows = 60

// maxAsked is how many drivers and layers a machine has whose picture is drawn with what children see: with more, they take
// too long.
const maxAsked = 500

// explainedFor asks for the decision, without what takes long for thousands of layers.
func explainedFor(r *Request, tool Tool, s *subject) (*survey.Explanation, error) {
	e := &survey.Explanation{}
	return e, tool.Run(r, s.args("explain", "--json", "--no-fixes")...).Decode(e)
}

func chainOf(r *Request) (any, error) {
	s, err := subjectOf(r)
	if err != nil {
		return nil, err
	}
	if err := s.running(); err != nil {
		return nil, err
	}
	c := &chain{subject: s, Find: r.Query.Get("find")}
	if c.Before, err = explainedFor(r, r.Tool, s); err != nil {
		return nil, err
	}
	if s.PID != 0 && s.App == "" {
		s.App = c.Before.App
	}
	if c.Draft, err = draftOf(r, s); err != nil {
		return nil, err
	}
	r.Heading = "Chain of " + machine.Style.Base(s.App)
	if s.App == "" {
		r.Heading = "Chain of any program"
	}
	c.Loader = loaders.Line(c.Before.Loader, s.App)
	if l := c.Before.Loader; l != nil && l.File != "" && s.App != "" {
		c.Library = l.File
	}
	c.draw(r)
	c.Still = len(c.Before.In)+len(c.Before.Out) > maxAsked
	q := s.query()
	c.Draft.query(q)
	if c.Find != "" {
		q.Set("find", c.Find)
	}
	if r.Query.Has("all") {
		q.Set("all", "1")
	}
	c.Query = q.Encode()
	r.Address = strings.TrimPrefix(string(link(s.Path(), q)), "#/")
	q.Set("all", "1")
	c.All = link(s.Path(), q)
	return c, nil
}

// draw makes the decision with the draft, and the rows and columns of the page.
func (c *chain) draw(r *Request) {
	now := c.Before
	if act := r.Query.Get("do"); act != "" {
		// What is up or down is so in the chain with the draft as it was before this step.
		from := c.Before
		if !c.Draft.empty() {
			if after, err := c.with(r); err == nil {
				from = after
			}
		}
		c.Say = c.Draft.do(act, from.ActiveLayers())
	}
	if !c.Draft.empty() {
		after, err := c.with(r)
		if err != nil {
			c.Wrong = err.Error()
		} else {
			c.After, now = after, after
		}
	}
	c.rows(now, r.Query.Has("all"))
	c.compare()
}

// with is the decision with the draft, made by the core with the file as it would be.
func (c *chain) with(r *Request) (*survey.Explanation, error) {
	plan, err := c.Draft.plan(r)
	if err != nil {
		return nil, err
	}
	c.Line, c.Note = Line(plan.Args), plan.Note
	return explainedFor(r, seeing(r.Tool, plan.Files), c.subject)
}

// seeing is the tool on a machine where files are as they would be.
func seeing(tool Tool, files []File) Tool {
	added := map[string]string{}
	var without []string
	for _, f := range files {
		if f.Remove {
			without = append(without, f.Path)
		} else {
			added[f.Path] = f.Text
		}
	}
	return tool.With(added, without...)
}

// rows lists what is in and what is out; all: not only the first.
func (c *chain) rows(now *survey.Explanation, all bool) {
	type key struct{ kind, manifest, name string }
	was := map[key]bool{}
	for _, e := range c.Before.In {
		was[key{e.Kind, e.Manifest, e.Name}] = true
	}
	layers := len(now.ActiveLayers())
	add := func(e explain.Item, in bool) {
		n := len(c.Rows) + c.More
		if c.Find != "" && !strings.Contains(strings.ToLower(e.Name), strings.ToLower(c.Find)) {
			return
		}
		if len(c.Rows) >= maxRows && !all || len(c.Rows) >= maxRows*10 {
			c.More++
			return
		}
		layer := in && e.Kind == "layer"
		c.Rows = append(c.Rows, row{Item: e, N: n, In: in, First: layer && e.Order == 1, Last: layer && e.Order == layers,
			Now: c.Draft.says(e.Name), Changed: in != was[key{e.Kind, e.Manifest, e.Name}]})
	}
	for _, e := range now.In {
		add(e, true)
	}
	for _, e := range now.Out {
		add(e, false)
	}
}

// Same tells whether the change changes no layer.
func (c *chain) Same() bool {
	return c.After != nil && slices.Equal(c.Before.ActiveLayers(), c.After.ActiveLayers())
}

// side is a column of the comparison.
type side struct {
	Title string
	Items []sideItem
	More  int
}

// sideItem is a layer in a column; Mark says what becomes of it.
type sideItem struct{ Name, Mark string }

// compare puts the layers without and with the draft into two columns.
func (c *chain) compare() {
	if c.After == nil {
		return
	}
	before, after := c.Before.ActiveLayers(), c.After.ActiveLayers()
	mark := func(list, other []string, alone string) (items []sideItem) {
		for _, name := range list {
			item := sideItem{Name: name}
			switch {
			case !slices.Contains(other, name):
				item.Mark = alone
			case moved(name, list, other):
				item.Mark = "moved"
			}
			items = append(items, item)
		}
		return items
	}
	c.Sides = []side{{Title: "Now", Items: mark(before, after, "goes")}, {Title: "With the change", Items: mark(after, before, "new")}}
	for i := range c.Sides {
		if s := &c.Sides[i]; len(s.Items) > maxRows {
			s.Items, s.More = s.Items[:maxRows], len(s.Items)-maxRows
		}
	}
}

// moved tells whether a layer has another place among those that both lists have.
func moved(name string, list, other []string) bool {
	if len(list) > maxRows*10 || len(other) > maxRows*10 {
		return false
	}
	place := func(list, other []string) int {
		n := 0
		for _, l := range list {
			if l == name {
				return n
			}
			if slices.Contains(other, l) {
				n++
			}
		}
		return -1
	}
	return place(list, other) != place(other, list)
}

// itemPart is what is known of one layer or driver of a chain, and takes too long for all: who installed it, and what
// switches it.
var itemPart = &Page{Name: "item", Title: "Layer or driver", Data: itemOf}

func itemOf(r *Request) (any, error) {
	s, d, err := drafted(r)
	if err != nil {
		return nil, err
	}
	tool, err := d.tool(r)
	if err != nil {
		return nil, err
	}
	name, manifest := r.Ref("item"), r.Ref("manifest")
	e := &survey.Explanation{}
	if err := tool.Run(r, append(s.args("explain", "--json"), "--", name)...).Decode(e); err != nil {
		return nil, err
	}
	is := func(e explain.Item) bool { return e.Name == name && e.Manifest == manifest }
	for _, list := range [][]explain.Item{e.In, e.Out} {
		if at := slices.IndexFunc(list, is); at >= 0 {
			return &list[at], nil
		}
	}
	return nil, errors.New("it is no longer in the chain")
}
