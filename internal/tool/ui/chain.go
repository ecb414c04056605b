package ui

import (
	"errors"
	"runtime"
	"slices"
	"strings"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

var chainPage = &Page{Name: "program", Title: "Layers and drivers", Data: chainOf}

// chain is the data of a program's page.
type chain struct {
	*subject
	Draft   *draft
	Before  *survey.Explanation
	After   *survey.Explanation // the decision with the draft; nil: no change
	Line    string              // the command line that makes the change
	Rows    []row
	More    int // the number of hidden rows
	Find    string
	Loader  string
	Library string // the loader of the picture's child process; "": the tool's own
	Own     string // the same loader, if the user has to confirm it; else ""
	Query   string // of the address, with the draft
	Note    string // a remark about the change
	Wrong   string // the reason if the change is impossible
	Say     string // the announcement of the last step for screen readers
	Sides   []side
	Unread  string // why the page cannot switch layers; "": it can
	Starts  bool   // the page can start the program
	Foreign bool   // devices of another machine cannot be listed
	Still   bool   // the picture is drawn without child processes: there are too many layers and drivers
}

// row is a layer or driver, in use or not.
type row struct {
	explain.Item
	N       int
	In      bool
	First   bool // the first of the layers in use
	Last    bool
	Now     string // the draft's control: on, off, auto; "": none
	Way     string // the shell line that switches the layer for a loader without settings files; "": the page can
	Changed bool   // the draft puts it into use or out of use
	Key     string // the layer's name or the driver's manifest
	Step    string // the beginning of the row's steps
	Edited  bool   // the draft is about it
}

// CanSwitch reports whether settings can put the row into use or out of use. Programs need one driver.
func (r row) CanSwitch() bool {
	return r.Kind == "layer" || r.Manifest != "" && r.But == "" && !(r.First && r.Last)
}

// driversOf returns the manifests of the drivers in use, in order.
func driversOf(e *survey.Explanation) (list []string) {
	for _, item := range e.In {
		if item.Kind == "driver" {
			list = append(list, item.Manifest)
		}
	}
	return list
}

// namedDrivers says what settings that name drivers do after an update.
const namedDrivers = "The drivers are named by their manifests, which an update of a driver keeps. A driver that is installed later is not among them."

// maxRows is the maximum number of rows on a page. The others are found by their names.
const maxRows = 100

// maxAsked is the maximum number of drivers and layers for a picture with data from child processes. More would take
// too long.
const maxAsked = 500

// explainedFor returns the decision without parts that take long for thousands of layers.
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
		c.Library, c.Own = l.File, ownLoader(l, s.App)
	}
	if c.Unread = unread(c.Before.Loader); c.Unread != "" { // such a change would have no effect
		c.Draft.entries, c.Draft.Drivers = slices.Clone(c.Draft.initial), nil
	}
	m := r.Tool.Machine()
	c.Foreign, c.Starts = m.Foreign(), r.launchRefusal() == ""
	c.draw(r)
	c.Still = len(c.Before.In)+len(c.Before.Out) > maxAsked
	q := s.query()
	c.Draft.query(q)
	if c.Find != "" {
		q.Set("find", c.Find)
	}
	c.Query = q.Encode()
	r.Address = strings.TrimPrefix(string(link(s.Path(), q)), "#/")
	return c, nil
}

// draw makes the decision with the draft, and the rows and columns of the page.
func (c *chain) draw(r *Request) {
	now := c.Before
	if act := r.Query.Get("do"); act != "" && c.Unread == "" {
		// "Up" and "down" refer to the chain with the draft before this step.
		from := c.Before
		if c.Draft.Given() {
			if after, err := c.with(r); err == nil {
				from = after
			}
		}
		c.Say = c.Draft.do(act, from.ActiveLayers(), driversOf(from))
	}
	if c.Draft.Given() {
		after, err := c.with(r)
		if err != nil {
			c.Wrong = err.Error()
		} else {
			c.After, now = after, after
		}
	}
	c.rows(now)
	c.compare()
}

// with returns the core's decision with the draft in place of the settings file.
func (c *chain) with(r *Request) (*survey.Explanation, error) {
	plan, err := c.Draft.plan(r)
	if err != nil {
		return nil, err
	}
	c.Line, c.Note = string(Line(plan.Args)), plan.Note
	if c.Draft.Drivers != nil {
		c.Note = strings.TrimSpace(c.Note + "\n" + namedDrivers)
	}
	return explainedFor(r, seeing(r.Tool, plan.Files), c.subject)
}

// seeing returns the tool for a machine with planned edits.
func seeing(tool Tool, edits []edit.Edit) Tool {
	added, without := edit.Overlay(edits)
	return tool.With(added, without...)
}

// rows lists the components in use and out of use.
func (c *chain) rows(now *survey.Explanation) {
	was := map[explain.ItemKey]bool{}
	for _, e := range c.Before.In {
		was[explain.ItemKey{Manifest: e.Manifest, Layer: e.Name}] = true
	}
	count := map[string]int{"layer": len(now.ActiveLayers()), "driver": len(driversOf(now))}
	add := func(e explain.Item, in bool) {
		n := len(c.Rows) + c.More
		if c.Find != "" && !strings.Contains(strings.ToLower(e.Name), strings.ToLower(c.Find)) {
			return
		}
		if len(c.Rows) >= maxRows {
			c.More++
			return
		}
		one := row{Item: e, N: n, In: in, First: in && e.Order == 1, Last: in && e.Order == count[e.Kind],
			Changed: in != was[explain.ItemKey{Manifest: e.Manifest, Layer: e.Name}], Key: e.Name}
		switch {
		case e.Kind == "driver":
			one.Step, one.Key = driverStep, e.Manifest
		case c.Unread != "":
			one.Way = way(c.Before.Loader, e.Name, in)
		default:
			one.Now = c.Draft.says(e.Name)
		}
		one.Edited = one.Changed || one.Now != "" || one.Step != "" && c.Draft.Drivers != nil
		c.Rows = append(c.Rows, one)
	}
	for _, e := range now.In {
		add(e, true)
	}
	for _, e := range now.Out {
		add(e, false)
	}
}

// CanInstall reports whether the tool can make its loader the one of the system.
func (c *chain) CanInstall() bool { return runtime.GOOS == "linux" }

// Same reports whether the change affects no layer and no driver.
func (c *chain) Same() bool {
	return c.After != nil && slices.Equal(c.Before.ActiveLayers(), c.After.ActiveLayers()) &&
		slices.Equal(driversOf(c.Before), driversOf(c.After))
}

// side is a column of the comparison.
type side struct {
	Title   string
	Items   []sideItem
	More    int
	Drivers []sideItem // nil: the change affects none
}

// sideItem is a layer in a column. Mark is the layer's change.
type sideItem struct{ Name, Mark string }

// compare lists the layers without and with the draft in two columns.
func (c *chain) compare() {
	if c.After == nil {
		return
	}
	mark := func(list, other []string, alone string) (items []sideItem) {
		kept, keptThere := missing(list, missing(list, other)), missing(other, missing(other, list))
		for _, name := range list[:min(len(list), maxRows)] {
			item := sideItem{Name: name}
			switch {
			case !slices.Contains(other, name):
				item.Mark = alone
			case slices.Index(kept, name) != slices.Index(keptThere, name):
				item.Mark = "moved"
			}
			items = append(items, item)
		}
		return items
	}
	before, after := c.Before.ActiveLayers(), c.After.ActiveLayers()
	c.Sides = []side{{Title: "Now", Items: mark(before, after, "goes"), More: max(0, len(before)-maxRows)},
		{Title: "With the change", Items: mark(after, before, "new"), More: max(0, len(after)-maxRows)}}
	if old, fresh := driversOf(c.Before), driversOf(c.After); !slices.Equal(old, fresh) {
		c.Sides[0].Drivers, c.Sides[1].Drivers = mark(old, fresh, "goes"), mark(fresh, old, "new")
	}
}

// itemPart shows the data of one layer or driver that take too long to collect for all: its package, and its switches.
var itemPart = &Page{Name: "item", Title: "Layer or driver", Data: itemOf}

func itemOf(r *Request) (any, error) {
	s, d, err := subjectAndDraft(r)
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

// unread returns why the page cannot switch layers for programs with a loader: the loader reads no settings file. It
// returns "" if the loader may read one.
func unread(l *loaders.Loader) string {
	if l == nil || l.Has(loaders.SettingsFile) != loaders.No {
		return ""
	}
	return "Programs get " + l.Title() +
		", which reads no settings file. For this loader the page cannot switch or order layers; use the " +
		"line beside each layer."
}

// way returns the shell line that switches a layer on or off for programs with a loader that reads no settings file; ""
// if the loader obeys no variable for it.
func way(l *loaders.Loader, layer string, in bool) string {
	list := term.Either(in, []variables.ID{variables.LayersDisable},
		[]variables.ID{variables.LayersEnable, variables.InstanceLayers})
	for _, v := range list {
		if l.Obeys(v.Name()) {
			return string(explain.SetVariable(v.Name(), layer).Line())
		}
	}
	return ""
}
