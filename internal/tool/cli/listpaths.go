package cli

import (
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/configuration"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/term"
)

// searched is a place that is looked into.
type searched struct {
	For       string   `json:"for"` // "drivers", "implicit layers", "explicit layers" or "settings"
	Order     int      `json:"order"`
	Path      string   `json:"path"`
	Real      string   `json:"real,omitempty"` // where links lead
	From      string   `json:"from"`           // the variable that names it, or "default"
	Exists    bool     `json:"exists"`
	Manifests []string `json:"manifests"` // names in the order in which they are read
	Note      string   `json:"note,omitempty"`
}

var searchNames = [...]string{search.Drivers: "drivers", search.ImplicitLayers: "implicit layers", search.ExplicitLayers: "explicit layers"}

func newListPaths(s *surroundings) *cobra.Command {
	var asJSON bool
	cmd := &cobra.Command{
		Use: "paths", Short: "The places that are searched for manifests and settings, in order: what names them, and what is there",
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			source, err := s.source("", false)
			if err != nil {
				return err
			}
			answer, err := decide(source)
			if err != nil {
				return err
			}
			places := pathsOf(answer, source)
			if asJSON {
				return writeJSON(s, struct {
					Schema int        `json:"schema"`
					Kind   string     `json:"kind"`
					Places []searched `json:"places"`
				}{listSchema, "paths", places})
			}
			printPaths(s, places)
			return nil
		},
	}
	cmd.Flags().BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", listSchema))
	return cmd
}

// pathsOf are the places that a decision looked into, then those of the settings file.
func pathsOf(answer *plan.Answer, source *machine.Source) []searched {
	places := []searched{}
	add := func(p searched) {
		if real, err := source.Real(p.Path); err == nil && p.Exists && real != strings.TrimRight(p.Path, "/") {
			p.Real = real
		}
		places = append(places, p)
	}
	for kind, name := range searchNames {
		if answer.Settings != nil && answer.Settings.ControlsLayers && !answer.Settings.Merged() && search.Kind(kind) != search.Drivers {
			places = append(places, searched{For: name, Path: path.Clean(answer.Settings.File), From: "settings", Exists: true, Manifests: []string{},
				Note: "the settings file lists the layers, nothing is searched"})
			continue
		}
		for i, location := range answer.Searched[kind].List {
			p := searched{For: name, Order: i + 1, Path: location.Path, From: location.From, Manifests: []string{}}
			if location.File {
				p.Exists = source.Exists(location.Path)
				p.Manifests = append(p.Manifests, search.BaseName(location.Path))
			} else {
				folder := source.Folder(location.Path)
				p.Exists = folder.Listed
				p.Manifests = append(p.Manifests, folder.Names...)
			}
			add(p)
		}
		for _, long := range answer.Searched[kind].TooLong {
			add(searched{For: name, Path: long, Manifests: []string{}, Note: "too long: not looked into"})
		}
	}
	first := true
	for i, place := range configuration.Places(search.Linux(), source) {
		p := searched{For: "settings", Order: i + 1, Path: place, From: settingsFrom(source, place), Exists: source.Exists(place),
			Manifests: []string{}}
		if p.Exists {
			if p.Note = "does not count: another comes before it"; first {
				p.Note = "the settings file"
			}
			first = false
		}
		add(p)
	}
	return places
}

// settingsFrom is what names a place of the settings file.
func settingsFrom(source *machine.Source, place string) string {
	for _, v := range []variables.ID{variables.ConfigHome, variables.DataHome, variables.Home, variables.ConfigDirs, variables.DataDirs} {
		value, _ := source.Lookup(v.Name())
		if value, _, _ = strings.Cut(value, ":"); value != "" && strings.HasPrefix(place, strings.TrimRight(value, "/")+"/") {
			return v.Name()
		}
	}
	return "default"
}

func printPaths(s *surroundings, places []searched) {
	style := term.StyleFor(s.out, s.getenv)
	for start := 0; start < len(places); {
		name := places[start].For
		if start > 0 {
			fmt.Fprintln(s.out)
		}
		fmt.Fprintln(s.out, style.Heading(strings.ToUpper(name[:1])+name[1:]))
		table := term.NewTable(">", "place", "from", "what is there")
		for ; start < len(places) && places[start].For == name; start++ {
			p := &places[start]
			there := strings.Join(p.Manifests, ", ")
			switch {
			case p.Note != "":
				there = p.Note
			case !p.Exists:
				there = "nothing"
			case there == "":
				there = "no manifest"
			}
			if p.Real != "" {
				there += " (in " + p.Real + ")"
			}
			number := ""
			if p.Order > 0 {
				number = fmt.Sprint(p.Order)
			}
			table.Row(number, p.Path, p.From, there)
		}
		table.Print(s.out, "  ", style)
	}
}
