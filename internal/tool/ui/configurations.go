package ui

import (
	"errors"
	"html/template"
	"io"
	"net/http"
	"net/url"
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/tool/edit"
	"vkloader/internal/tool/option"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

var configurationsPage = &Page{Name: "configurations", Title: "Configurations", Data: configurationsOf}

// configurations is the list of configurations, or one of them.
type configurations struct {
	List     []configuration
	One      *configuration
	Programs []string // the programs whose settings in force can be saved; "": all
}

// configuration is a configuration and its effect.
type configuration struct {
	*settings.Configuration
	What  string
	Sides []side   // of one: the layers and drivers without settings, and with it
	Forms []*layer // of one: its layers with settings that their manifests describe
	App   string
	Err   string
}

// Link returns the configuration's page.
func (c configuration) Link() template.URL {
	return link("configurations/"+url.PathEscape(c.Name), nil)
}

func configurationsOf(r *Request) (any, error) {
	found, err := r.Tool.Settings()
	if err != nil {
		return nil, err
	}
	if r.Rest != "" {
		c, err := found.Configuration(r.Rest)
		if err != nil {
			return nil, err
		}
		r.Heading = "Configuration " + c.Name
		one := configurationOf(c)
		if err := one.compare(r, found); err != nil {
			one.Err = err.Error()
		}
		with, err := layersWithSettings(r)
		if err != nil || c.Settings == nil {
			return &configurations{One: &one}, err
		}
		for _, l := range with.With {
			if slices.ContainsFunc(c.Settings.Layers,
				func(used settings.ShownLayer) bool { return used.Name == l.Name }) {
				one.Forms = append(one.Forms,
					&layer{Name: l.Name, LayerSettings: &settings.LayerSettings{Presets: l.Presets},
						Where: "configuration", Configuration: c.Name})
			}
		}
		return &configurations{One: &one}, nil
	}
	list, err := found.Configurations()
	if err != nil {
		return nil, err
	}
	view := &configurations{List: term.Words(list, configurationOf), Programs: []string{""}}
	for _, p := range found.Show("").Programs {
		if p.App != "" {
			view.Programs = append(view.Programs, p.App)
		}
	}
	return view, nil
}

func configurationOf(c *settings.Configuration) configuration {
	view := configuration{Configuration: c}
	if c.Settings != nil {
		view.What = describeSettings(c.Settings)
	}
	return view
}

// compare makes the loader's decisions for a program without any settings file, and with the configuration.
func (c *configuration) compare(r *Request, found *settings.FileSet) error {
	s, err := subjectOf(&Request{Context: r, Tool: r.Tool, Query: r.Query, Variables: r.Variables})
	if err != nil {
		return err
	}
	c.App = s.App
	with, err := planOf(r, &Plan{Args: []string{"settings", "use", c.Name, "--force"}})
	if err != nil {
		return err
	}
	none := term.Words(found.Files, func(f *settings.File) edit.Edit { return edit.Edit{Path: f.Path, Remove: true} })
	compared := &chain{}
	if compared.Before, err = explainedFor(r, seeing(r.Tool, none), s); err != nil {
		return err
	}
	if compared.After, err = explainedFor(r, seeing(r.Tool, with.Files), s); err != nil {
		return err
	}
	compared.compare()
	compared.Sides[0].Title, compared.Sides[1].Title = "Without settings", "With "+c.Name
	c.Sides = compared.Sides
	return nil
}

// serveConfiguration answers with the file of a configuration.
func (s *Server) serveConfiguration(w http.ResponseWriter, r *http.Request) {
	found, err := s.tool.Settings()
	c := &settings.Configuration{}
	if err == nil {
		c, err = found.Configuration(strings.TrimSuffix(r.PathValue("file"), ".json"))
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusNotFound)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = io.WriteString(w, c.Text)
}

// program returns the path of the program in a form; "" without one.
func (r *Request) program() (string, error) {
	name := strings.TrimSpace(r.Query.Get("app"))
	if name == "" {
		return "", nil
	}
	m := r.Tool.Machine()
	return m.FindProgram(name)
}

// options returns a change for a program, or for all, with the other fields of a form.
func (r *Request) options(app string) *settings.Options {
	c := &settings.Options{Target: settings.Target{Expires: r.Query.Get("expires"), System: r.System}}
	if app != "" {
		c.Apps = []string{app}
	}
	return c
}

// planUse plans to give programs the settings of a configuration.
func planUse(r *Request) (*Plan, error) {
	app, err := r.program()
	if err != nil {
		return nil, err
	}
	name := r.Ref("name")
	return planOf(r, &Plan{Title: "Use " + name + " for " + term.Or(app, settings.AllPrograms),
		Args: r.options(app).Words("use", name)})
}

// planSave plans to make a configuration.
func planSave(r *Request) (*Plan, error) {
	s := settings.Saving{Name: strings.TrimSpace(r.Query.Get("name")), From: r.Ref("from"), App: r.Ref("saved"),
		Move: r.Query.Get("move") != ""}
	if file := strings.TrimSpace(r.Query.Get("file")); file != "" {
		if s.From, s.App = file, ""; !filepath.IsAbs(file) {
			return nil, errors.New("the path of the file has to begin at the root of the file system")
		}
	}
	title := "Save the configuration " + s.Name
	if s.Move {
		title = "Rename the configuration " + s.From + " to " + s.Name
	}
	return planOf(r, &Plan{Title: title, Args: append([]string{"settings", "save", s.Name}, option.Words(&s)...)})
}

// planForget plans the removal of a configuration.
func planForget(r *Request) (*Plan, error) {
	name := r.Ref("name")
	return planOf(r, &Plan{Title: "Remove the configuration " + name, Args: []string{"settings", "forget", name},
		Note: "Programs keep the settings that it has given them."})
}
