package ui

import (
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"

	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// draft is a list of layers and one of drivers of a settings file, which the user edits on the page.
type draft struct {
	app     string
	All     bool                   // for all programs
	Expires string                 // the expiry for "settings set"; "": unchanged
	entries []settings.LayerChoice // from the program down; without the place of all others, there are no others
	Drivers []string               // the manifests of the drivers in use; nil: unchanged

	initial []settings.LayerChoice // the entries of the current settings file
}

// draftOf reads the draft in the address, or else the current settings.
func draftOf(r *Request, s *subject) (*draft, error) {
	d := &draft{app: s.App, All: r.Query.Get("for") == "all" || s.App == "", Expires: r.Query.Get("expires")}
	file, err := settingsInForce(r, s.App)
	if err != nil {
		return nil, err
	}
	now := file.InForce
	if d.All {
		now = nil
		for i := range file.Programs {
			if file.Programs[i].App == "" {
				now = &file.Programs[i]
			}
		}
	}
	d.initial = make([]settings.LayerChoice, 1)
	if now != nil && now.Layers != nil {
		d.initial = term.Words(now.Layers, func(l settings.ShownLayer) settings.LayerChoice {
			return settings.LayerChoice{Name: l.Name, Control: term.Either(l.Name == "", "", l.Control)}
		})
	}
	d.entries, d.Drivers = slices.Clone(d.initial), r.Refs("driver")
	if r.Query.Has("layer") {
		d.entries = nil
		for _, text := range r.Refs("layer") {
			e := settings.LayerChoice{}
			if e.UnmarshalText([]byte(text)) != nil {
				return nil, errors.New("this is not a valid address of this page: the list of layers cannot be read")
			}
			d.entries = append(d.entries, e)
		}
	}
	return d, nil
}

// subjectAndDraft reads the program and the draft in the address.
func subjectAndDraft(r *Request) (*subject, *draft, error) {
	s, err := subjectOf(r)
	if err != nil {
		return nil, nil, err
	}
	d, err := draftOf(r, s)
	return s, d, err
}

// subjectAndPlan returns the same, and the plan that writes the draft.
func subjectAndPlan(r *Request) (*subject, *draft, *Plan, error) {
	s, d, err := subjectAndDraft(r)
	if err != nil {
		return nil, nil, nil, err
	}
	plan, err := d.plan(r)
	return s, d, plan, err
}

// tool returns the tool for a machine with the draft written.
func (d *draft) tool(r *Request) (Tool, error) {
	if !d.Given() {
		return r.Tool, nil
	}
	plan, err := d.plan(r)
	if err != nil {
		return nil, err
	}
	return seeing(r.Tool, plan.Files), nil
}

// Layers returns the changed entries as in the address: values of --layer in the form of {{ref}}.
func (d *draft) Layers() []string {
	if d.sameLayers() {
		return nil
	}
	return term.Words(d.entries, func(e settings.LayerChoice) string { return url.QueryEscape(e.String()) })
}

// Given reports whether there is a change.
func (d *draft) Given() bool { return !d.sameLayers() || d.Drivers != nil }

// sameLayers reports whether the layers of the draft are those of the current settings.
func (d *draft) sameLayers() bool { return slices.Equal(d.entries, d.initial) }

// query adds the draft to an address.
func (d *draft) query(q url.Values) {
	if d.All && d.app != "" {
		q.Set("for", "all")
	}
	if d.Expires != "" {
		q.Set("expires", d.Expires)
	}
	if !d.sameLayers() {
		q["layer"] = d.Layers()
	}
	for _, manifest := range d.Drivers {
		q.Add("driver", url.QueryEscape(manifest))
	}
}

// change returns the change that writes the draft.
func (d *draft) change(r *Request) *settings.Options {
	c := &settings.Options{Drivers: d.Drivers, Target: settings.Target{Expires: d.Expires, System: r.System}}
	if !d.All {
		c.Apps = []string{d.app}
	}
	if d.sameLayers() {
		return c
	}
	c.Layers, c.NoLayers = d.entries, len(d.entries) == 0
	c.OnlyThese = !c.NoLayers && !slices.Contains(d.entries, settings.LayerChoice{})
	if last := len(d.entries) - 1; last > 0 && d.entries[last].Control == "" { // the default place of all others
		c.Layers = d.entries[:last]
	}
	return c
}

// plan returns the plan that writes the draft.
func (d *draft) plan(r *Request) (*Plan, error) {
	who := term.Either(!d.All, d.app, settings.AllPrograms)
	return planOf(r, &Plan{Title: "Write the settings for " + who, Args: d.change(r).Words("set")})
}

// planLayers plans to write the draft.
func planLayers(r *Request) (*Plan, error) {
	_, d, err := subjectAndDraft(r)
	if err != nil {
		return nil, err
	}
	if !d.Given() {
		return nil, errors.New("nothing was changed on the page")
	}
	return d.plan(r)
}

// says returns the draft's control for a layer.
func (d *draft) says(name string) string {
	if at := slices.IndexFunc(d.entries, func(e settings.LayerChoice) bool { return e.Name == name }); at >= 0 {
		return d.entries[at].Control
	}
	return ""
}

// set sets a layer's control; "" removes it.
func (d *draft) set(name, control string) {
	at := slices.IndexFunc(d.entries, func(e settings.LayerChoice) bool { return e.Name == name && e.Control != "" })
	switch {
	case at >= 0 && control == "":
		d.entries = slices.Delete(d.entries, at, at+1)
	case at >= 0:
		d.entries[at].Control = control
	case control != "":
		d.insert(settings.LayerChoice{Name: name, Control: control})
	}
}

// insert adds an entry before the place of all others, or at the end.
func (d *draft) insert(e settings.LayerChoice) {
	at := slices.IndexFunc(d.entries, func(e settings.LayerChoice) bool { return e.Control == "" })
	if at < 0 {
		at = len(d.entries)
	}
	d.entries = slices.Insert(d.entries, at, e)
}

// do applies a step and describes it: on:NAME, off:NAME, usual:NAME, up:NAME or down:NAME. chain has the
// page's layers from the program down. For drivers, the step begins with driverStep, and drivers has their manifests.
func (d *draft) do(act string, chain, drivers []string) string {
	verb, rest, _ := strings.Cut(act, ":")
	name, err := url.QueryUnescape(rest)
	if err != nil || name == "" {
		return ""
	}
	if verb, is := strings.CutPrefix(verb, driverStep); is {
		return d.doDriver(verb, name, drivers)
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
	}
	return ""
}

// driverStep begins the steps for drivers.
const driverStep = "driver-"

// doDriver applies a step to a driver. used has the manifests of the drivers in use, in order.
func (d *draft) doDriver(verb, manifest string, used []string) string {
	list, name := slices.Clone(used), machine.Style.Base(manifest)
	at := slices.Index(list, manifest)
	to := at + map[string]int{"up": -1, "down": 1}[verb]
	switch {
	case verb == "on" && at < 0:
		list = append(list, manifest)
	case verb == "off" && at >= 0:
		list = slices.Delete(list, at, at+1)
	case at >= 0 && to >= 0 && to < len(list):
		list[at], list[to] = list[to], list[at]
		d.Drivers = list
		return fmt.Sprintf("%s is now driver %d of %d", name, to+1, len(list))
	default:
		return ""
	}
	d.Drivers = list
	return name + " is switched " + verb
}

// maxOrdered is the number of layers that can be ordered. The address contains all of them.
const maxOrdered = 300

// move exchanges two neighbours: the draft gets the layers down to the lower one, in their new order.
func (d *draft) move(chain []string, from, to int) string {
	if from < 0 || to < 0 || to >= len(chain) {
		return ""
	}
	if max(from, to) > maxOrdered {
		return fmt.Sprintf("only the first %d layers can be put in order here; see vkloader settings set", maxOrdered)
	}
	order, name := slices.Clone(chain), chain[from]
	order[from], order[to] = order[to], name
	var entries []settings.LayerChoice
	for _, l := range order[:max(from, to)+1] {
		control := d.says(l)
		if control == "" || control == "off" {
			control = "auto"
		}
		entries = append(entries, settings.LayerChoice{Name: l, Control: control})
	}
	listed := len(entries)
	for _, e := range d.entries {
		if e.Control == "" || !slices.ContainsFunc(entries[:listed],
			func(o settings.LayerChoice) bool { return o.Name == e.Name }) {
			entries = append(entries, e)
		}
	}
	d.entries = entries
	return fmt.Sprintf("%s is now layer %d of %d", name, to+1, len(chain))
}
