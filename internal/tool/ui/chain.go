package ui

import (
	"errors"
	"fmt"
	"html/template"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/tool/explain"
	"vkloader/internal/tool/layersettings"
	"vkloader/internal/tool/loaders"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/process"
	"vkloader/internal/tool/settingsfile"
)

var chainPage = &Page{Name: "program", Title: "Chain", Below: "programs", Data: chainOf}

// explained is what "explain" says.
type explained struct {
	App           string               `json:"app"`
	Loader        *loaders.Loader      `json:"loader"`
	In            []explain.Item       `json:"in"`
	Out           []explain.Item       `json:"out"`
	Compute       []explain.Item       `json:"compute"`
	LayerSettings *layersettings.Shown `json:"layer_settings"`
	Chance        []explain.Chance     `json:"chance"`
	PID           int                  `json:"pid"`
	Differs       []process.Difference `json:"differs"`
}

// layers are the names of the layers that are in, from the program down.
func (e *explained) layers() (names []string) {
	for i := range e.In {
		if e.In[i].Kind == "layer" {
			names = append(names, e.In[i].Name)
		}
	}
	return names
}

// subject is the program that the page is about, as its address says.
type subject struct {
	App      string // its path; "": any that asks for nothing itself
	Env      []string
	Elevated bool
	PID      int
}

// subjectOf reads an address: the program's path after the page's name, or its name alone, or the field app of a form.
func subjectOf(r *Request) (*subject, error) {
	m, err := r.Tool.Machine()
	if err != nil {
		return nil, err
	}
	s := &subject{Elevated: r.Query.Get("elevated") != ""}
	s.PID, _ = strconv.Atoi(r.Query.Get("pid"))
	for _, text := range r.Query["env"] {
		s.Env = append(s.Env, strings.Fields(text)...)
	}
	name := strings.TrimSpace(r.Query.Get("app"))
	if name == "" {
		name = r.Rest
		if strings.Contains(name, "/") {
			name = "/" + name
		}
	}
	if name == "" || s.PID != 0 {
		s.App = name
		return s, nil
	}
	s.App, err = findProgram(&m, name)
	return s, err
}

// findProgram finds a program by its path or by its name, as a shell does.
func findProgram(m *machine.Machine, name string) (string, error) {
	if strings.ContainsAny(name, `/\`) {
		return name, nil
	}
	search, _ := m.Lookup("PATH")
	for _, directory := range strings.Split(search, machine.ListSeparator) {
		file := path.Join(directory, name)
		if info, err := m.Stat(file); directory != "" && err == nil && info.Mode().IsRegular() {
			return file, nil
		}
	}
	if m.Exists("/" + name) {
		return "/" + name, nil
	}
	return "", fmt.Errorf("there is no program %s in PATH: give its path", name)
}

// args are the options of explain for the subject.
func (s *subject) args(args ...string) []string {
	switch {
	case s.PID != 0:
		args = append(args, "--pid", strconv.Itoa(s.PID))
	case s.App != "":
		args = append(args, "--app", s.App)
	}
	if s.Elevated && s.PID == 0 {
		args = append(args, "--elevated")
	}
	for _, v := range s.Env {
		args = append(args, "--env", v)
	}
	return args
}

// query is the subject as the query of an address.
func (s *subject) query() url.Values {
	q := url.Values{}
	if s.PID != 0 {
		q.Set("pid", strconv.Itoa(s.PID))
	}
	if s.Elevated {
		q.Set("elevated", "1")
	}
	if len(s.Env) > 0 {
		q.Set("env", strings.Join(s.Env, " "))
	}
	return q
}

// Rest is the subject's part of an address after the page's name.
func (s *subject) Rest() string { return strings.TrimPrefix(addressOf(s.App), "program/") }

// Plain is a link to the subject without any change.
func (s *subject) Plain() template.URL { return link(s.Path(), s.query()) }

// link leads to an address of the page.
func link(path string, query url.Values) template.URL {
	if text := query.Encode(); text != "" {
		path += "?" + text
	}
	return template.URL("#/" + path)
}

// Path is the subject's part of an address.
func (s *subject) Path() string { return addressOf(s.App) }

// chain is what the page of a program shows.
type chain struct {
	*subject
	Draft  *draft
	Before *explained
	After  *explained // nil: nothing is to be changed
	Line   string     // the command line that would make the change
	Rows   []row
	More   int // rows that are not shown
	Find   string
	Loader string
	Query  string       // of the address, with the draft
	All    template.URL // the page with more rows
	Note   string       // what else is to be known of the change
	Wrong  string       // why the change cannot be made
	Say    string       // what a reader is told of the last step
	Sides  []side
	Still  bool // the picture is drawn without asking layers and devices: there are too many
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

// side is a column of the comparison.
type side struct {
	Title string
	Items []sideItem
	More  int
}

// sideItem is a layer in a column; Mark says what becomes of it.
type sideItem struct{ Name, Mark string }

// maxRows is how many layers and drivers a page shows before it is asked for all.
const maxRows = 60

// maxAsked is how many drivers and layers a machine has whose picture is drawn with what children see: with more, they take
// too long.
const maxAsked = 500

// explainedFor asks for the decision, without what takes long for thousands of layers.
func explainedFor(r *Request, tool Tool, s *subject) (*explained, error) {
	e := &explained{}
	return e, tool.Run(r, s.args("explain", "--json", "--no-fixes")...).Decode(e)
}

func chainOf(r *Request) (any, error) {
	s, err := subjectOf(r)
	if err != nil {
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
		c.Say = c.Draft.do(act, from.layers())
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
func (c *chain) with(r *Request) (*explained, error) {
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
func (c *chain) rows(now *explained, all bool) {
	was := map[string]bool{}
	for i := range c.Before.In {
		was[c.Before.In[i].Kind+c.Before.In[i].Manifest+c.Before.In[i].Name] = true
	}
	layers := len(now.layers())
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
			Now: c.Draft.says(e.Name), Changed: in != was[e.Kind+e.Manifest+e.Name]})
	}
	for _, e := range now.In {
		add(e, true)
	}
	for _, e := range now.Out {
		add(e, false)
	}
}

// compare puts the layers without and with the draft into two columns.
func (c *chain) compare() {
	if c.After == nil {
		return
	}
	before, after := c.Before.layers(), c.After.layers()
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

// Same tells whether the change changes no layer.
func (c *chain) Same() bool {
	return c.After != nil && slices.Equal(c.Before.layers(), c.After.layers())
}

// draft is a list of layers as a settings file has it, which somebody tries out on the page.
type draft struct {
	app     string
	all     bool    // for all programs
	expires string  // as settings set takes it; "": as it is
	entries []entry // from the program down
	exact   bool    // no layers but these

	initial      []entry // likewise, as the settings file has them now
	initialExact bool
}

// entry is one layer in a draft; others stands for all that the draft does not name.
type entry struct {
	name, control string
}

const others = "others"

// draftOf reads the draft in the address; without one it is what the settings file says now.
func draftOf(r *Request, s *subject) (*draft, error) {
	d := &draft{app: s.App, all: r.Query.Get("for") == "all" || s.App == "", expires: r.Query.Get("expires")}
	file, err := inForce(r, s.App)
	if err != nil {
		return nil, err
	}
	now := file.InForce
	if d.all {
		now = nil
		for i := range file.Programs {
			if file.Programs[i].App == "" {
				now = &file.Programs[i]
			}
		}
	}
	d.start(now)
	d.initial, d.initialExact = slices.Clone(d.entries), d.exact
	if r.Query.Has("layer") {
		d.entries, d.exact = nil, r.Query.Get("exact") != ""
		for _, text := range r.Query["layer"] {
			if err := d.enter(text); err != nil {
				return nil, err
			}
		}
	}
	return d, nil
}

// start makes the draft of what a settings file says.
func (d *draft) start(now *settingsfile.ForPrograms) {
	if now == nil || now.Layers == nil {
		d.entries = []entry{{name: others}}
		return
	}
	d.exact = true
	for _, l := range now.Layers {
		if l.Name == "" {
			d.exact = false
			d.entries = append(d.entries, entry{name: others})
			continue
		}
		d.entries = append(d.entries, entry{l.Name, l.Control})
	}
}

// enter reads one layer of an address: CONTROL:NAME.
func (d *draft) enter(text string) error {
	control, ref, _ := strings.Cut(text, ":")
	name, err := url.QueryUnescape(ref)
	if err != nil || !slices.Contains([]string{"on", "off", "auto", others}, control) {
		return errors.New("this is not a valid address of this page: the list of layers cannot be read")
	}
	if control == others {
		name, control = others, ""
	}
	d.entries = append(d.entries, entry{name, control})
	return nil
}

// Layers are the entries as an address has them.
func (d *draft) Layers() (list []string) {
	if d.empty() {
		return nil
	}
	for _, e := range d.entries {
		if e.name == others && e.control == "" {
			list = append(list, others+":")
		} else {
			list = append(list, e.control+":"+url.QueryEscape(e.name))
		}
	}
	return list
}

// All tells whether the change is for all programs.
func (d *draft) All() bool { return d.all }

// Expires is how long the settings are to last.
func (d *draft) Expires() string { return d.expires }

// Exact tells whether there are to be no other layers.
func (d *draft) Exact() bool { return d.exact }

// Given tells whether there is a change.
func (d *draft) Given() bool { return !d.empty() }

// empty tells whether the draft says what the settings file says now.
func (d *draft) empty() bool { return d.exact == d.initialExact && slices.Equal(d.entries, d.initial) }

// query enters the draft in an address.
func (d *draft) query(q url.Values) {
	if d.all && d.app != "" {
		q.Set("for", "all")
	}
	if d.expires != "" {
		q.Set("expires", d.expires)
	}
	if !d.empty() {
		q["layer"] = d.Layers()
		if d.exact {
			q.Set("exact", "1")
		}
	}
}

// says is what the draft says of a layer.
func (d *draft) says(name string) string {
	for _, e := range d.entries {
		if e.name == name {
			return e.control
		}
	}
	return ""
}

// set switches a layer; "" leaves it as it is without the draft.
func (d *draft) set(name, control string) {
	at := slices.IndexFunc(d.entries, func(e entry) bool { return e.name == name && e.control != "" })
	switch {
	case at >= 0 && control == "":
		d.entries = slices.Delete(d.entries, at, at+1)
	case at >= 0:
		d.entries[at].control = control
	case control != "":
		d.insert(entry{name, control})
	}
}

// insert adds an entry before the others, or at the end.
func (d *draft) insert(e entry) {
	at := slices.IndexFunc(d.entries, func(e entry) bool { return e.control == "" })
	if at < 0 {
		at = len(d.entries)
	}
	d.entries = slices.Insert(d.entries, at, e)
}

// do makes a step: on:NAME, off:NAME, usual:NAME, up:NAME, down:NAME or to:NAME:NAME, and says what it was. chain is the
// layers from the program down, as the page showed them.
func (d *draft) do(act string, chain []string) string {
	verb, rest, _ := strings.Cut(act, ":")
	first, second, _ := strings.Cut(rest, ":")
	name, err := url.QueryUnescape(first)
	target, wrong := url.QueryUnescape(second)
	if err != nil || wrong != nil || name == "" {
		return ""
	}
	from := slices.Index(chain, name)
	switch verb {
	case "on", "off":
		d.set(name, verb)
		return name + " is switched " + verb
	case "usual":
		d.set(name, "")
		return name + " is as it was before the change"
	case "up":
		return d.move(chain, from, from-1)
	case "down":
		return d.move(chain, from, from+1)
	case "to":
		return d.move(chain, from, slices.Index(chain, target))
	}
	return ""
}

// maxOrdered is how far down the chain layers can be put in order: an address has all of them.
const maxOrdered = 300

// move puts a layer in another place: the draft gets the layers down to the lower one of both, in their new order.
func (d *draft) move(chain []string, from, to int) string {
	if from < 0 || to < 0 || from >= len(chain) || to >= len(chain) || from == to {
		return ""
	}
	if max(from, to) > maxOrdered {
		return fmt.Sprintf("only the first %d layers can be put in order here; see vkloader settings order", maxOrdered)
	}
	order := slices.Clone(chain)
	name := order[from]
	order = slices.Insert(slices.Delete(order, from, from+1), to, name)
	var entries []entry
	for _, l := range order[:max(from, to)+1] {
		control := d.says(l)
		if control == "" || control == "off" {
			control = "auto"
		}
		entries = append(entries, entry{l, control})
	}
	listed := len(entries)
	for _, e := range d.entries {
		if e.control == "" || !slices.ContainsFunc(entries[:listed], func(o entry) bool { return o.name == e.name }) {
			entries = append(entries, e)
		}
	}
	d.entries = entries
	return fmt.Sprintf("%s is now layer %d of %d", name, to+1, len(chain))
}

// args are the command line that writes the draft.
func (d *draft) args(r *Request) []string {
	args := []string{"settings", "set"}
	if !d.all {
		args = append(args, "--app", d.app)
	}
	for i, e := range d.entries {
		switch {
		case e.control != "":
			args = append(args, "--layer", e.name+"="+e.control)
		case i < len(d.entries)-1: // at the end it is where all others go anyhow
			args = append(args, "--layer", others)
		}
	}
	named := slices.ContainsFunc(d.entries, func(e entry) bool { return e.control != "" })
	switch {
	case d.exact && named:
		args = append(args, "--only-these-layers")
	case d.exact:
		args = append(args, "--no-layers")
	case !named:
		args = append(args, "--layer", others)
	}
	if d.expires != "" {
		args = append(args, "--expires", d.expires)
	}
	if r.System {
		args = append(args, "--system")
	}
	return args
}

// plan is what writing the draft does.
func (d *draft) plan(r *Request) (*Plan, error) {
	args := d.args(r)
	dry := r.Tool.Run(r, append(slices.Clone(args), "--dry-run")...)
	if dry.Code != 0 || len(dry.Planned) == 0 {
		return nil, dry.Failed()
	}
	who := "all programs"
	if !d.all {
		who = d.app
	}
	plan := &Plan{Title: "Write the layers for " + who, Args: args, Files: dry.Planned,
		Also: []string{settingsfile.SetAside(dry.Planned[0].Path)}, Note: strings.TrimSpace(strings.ReplaceAll(dry.Messages, "vkloader: ", ""))}
	return plan, nil
}

// settingsChange writes the list of layers that was tried out.
type settingsChange struct{}

// Plan implements Change.
func (settingsChange) Plan(r *Request) (*Plan, error) {
	s, err := subjectOf(r)
	if err != nil {
		return nil, err
	}
	d, err := draftOf(r, s)
	if err != nil {
		return nil, err
	}
	if d.empty() {
		return nil, errors.New("nothing was changed on the page")
	}
	return d.plan(r)
}
