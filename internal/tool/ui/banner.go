package ui

import (
	"cmp"
	"fmt"
	"os/user"
	"slices"
	"strings"
	"time"

	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// banner lists the overrides in force, for every page.
type banner struct {
	Overrides []override
	Err       string
}

// override is a setting that changes a program's drivers, layers or devices.
type override struct {
	Kind   string // settings file, policy, variable
	What   string
	Where  string // the file with the setting
	Since  string
	By     string
	Until  string
	Change string // the change that removes it; "": none
	App    string
	Hint   string // the manual way to remove it if no change does
}

// Address returns the page with the text of the file.
func (o override) Address() string { return filesFile{Path: o.Where}.Address() }

// bannerPart is the banner alone, which the page asks for again when its window gets the focus.
var bannerPart = &Page{Name: "banner", Data: func(r *Request) (any, error) { return bannerOf(r), nil }}

// bannerOf collects the overrides in force.
func bannerOf(r *Request) *banner {
	b := &banner{}
	if err := b.settings(r); err != nil {
		b.Err = err.Error()
	}
	if err := b.variables(r); err != nil {
		b.Err = err.Error()
	}
	return b
}

// settings adds the settings file and its policies.
func (b *banner) settings(r *Request) error {
	file, err := settingsInForce(r, "")
	if err != nil || file.File == "" {
		return err
	}
	m := r.Tool.Machine()
	since, writer := "", term.Either(file.Ours, "vkloader", "another program")
	if info, err := m.Stat(file.File); err == nil {
		since = info.ModTime().UTC().Format(time.RFC3339)
		numbers, _ := machine.NumbersOf(info)
		by := fmt.Sprint("user ", numbers.User)
		if u, err := user.LookupId(fmt.Sprint(numbers.User)); err == nil {
			by = u.Username
		}
		writer += ", by " + by
	}
	until := cmp.Or(file.Expires, "it is removed")
	var said []string
	for _, p := range file.Programs {
		who := cmp.Or(p.App, settings.AllPrograms)
		if p.Hardware != "" {
			b.Overrides = append(b.Overrides, override{Kind: "Policy", What: "hardware: " + p.Hardware + ", for " + who,
				Where: file.File, Since: since, By: writer, Until: until, Change: "policy", App: p.App})
		}
		if text := describeSettings(&p); text != "" {
			said = append(said, "for "+who+": "+text)
		}
	}
	what := strings.Join(append(said, file.Ignored...), "; ")
	if what == "" && len(b.Overrides) > 0 {
		return nil
	}
	b.Overrides = append([]override{{Kind: "Settings file", What: cmp.Or(what, "it changes nothing for any program"),
		Where: file.File, Since: since, By: writer, Until: until, Change: "clear"}}, b.Overrides...)
	return nil
}

// describeSettings summarizes a program's settings.
func describeSettings(p *settings.ForPrograms) string {
	var parts []string
	if p.Layers != nil {
		var changed []string
		for _, l := range p.Layers {
			if l.Control == "on" || l.Control == "off" {
				changed = append(changed, l.Control+" "+l.Name+term.Enclosed(" until ", l.UntilChanged, " changes"))
			}
		}
		switch {
		case len(p.Layers) == 0:
			parts = append(parts, "no layers")
		case changed == nil:
			parts = append(parts, "the order of layers")
		default:
			parts = append(parts, few(changed))
		}
	}
	if len(p.Drivers) > 0 || p.Exclusive {
		until := term.Enclosed(" until ", strings.Join(p.UntilChanged, " or "), " changes")
		drivers := slices.Clone(p.Drivers)
		slices.Reverse(drivers) // loaders find the last one first
		parts = append(parts, "drivers "+few(drivers)+until)
	}
	if p.Devices != nil {
		parts = append(parts, "devices "+
			few(term.Words(p.Devices, func(d settings.ShownDevice) string { return d.Name })))
	}
	if len(p.Log) > 0 || p.LogFile != "" {
		parts = append(parts, "the log")
	}
	return strings.Join(parts, "; ")
}

// few joins the first names of a list for a line of the banner.
func few(names []string) string { return term.ShortList(names, 3) }

// variables adds the session's variables that affect programs.
func (b *banner) variables(r *Request) error {
	var said struct{ Variables []environment.Variable }
	if err := r.Tool.Run(r, "list", "variables", "--set", "--json").Decode(&said); err != nil {
		return err
	}
	for _, v := range said.Variables {
		if v.State == environment.InForce && v.Group != environment.Directories {
			b.Overrides = append(b.Overrides,
				override{Kind: "Variable", What: v.Name + "=" + v.Value, By: "the session of vkloader ui",
					Since: "its start", Until: "it is unset", Hint: "unset " + v.Name})
		}
	}
	return nil
}
