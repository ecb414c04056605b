package cli

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/bundle"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// bundled is the description of an archive in JSON.
type bundled struct {
	Schema  int           `json:"schema"`
	File    string        `json:"file"`
	Written bool          `json:"written"`
	Parts   []bundledPart `json:"parts"`
}

type bundledPart struct {
	Name string `json:"name"`
	Size int    `json:"size"` // in bytes
	What string `json:"what"`

	Failed string `json:"failed,omitempty"` // the reason if the part could not be made; the archive contains it instead
}

func newBundle(s *invocation) *cobra.Command {
	var o struct {
		output
		App     string        `option:"app"`
		File    string        `option:"output,o"`
		Only    bool          `option:"list"`
		Force   bool          `option:"force"`
		Still   bool          `option:"no-probe"`
		Without []string      `option:"without"`
		Limit   time.Duration `option:"timeout" default:"30s"`
		Whole   bool          `option:"parts" hidden:"yes"` // the parts as JSON, for the page
	}
	o.File = bundle.Directory + ".tar.gz"
	return newCommand("bundle", &o, bundleSchema, func([]string) error {
		of, err := s.subject(o.App, false, 0)
		if err != nil {
			return err
		}
		makers := makersOf(s, of.source, o.App, o.Still || of.source.Foreign(), o.Limit)
		if o.Whole {
			return writeJSON(s, bundleParts(of.source, makers))
		}
		if !o.Only && !o.Force {
			if _, err := os.Lstat(o.File); err == nil {
				return fmt.Errorf("%s exists: use another name with -o, or overwrite it with --force", o.File)
			}
		}
		parts, err := bundle.Without(bundleParts(of.source, makers), o.Without)
		if err != nil {
			return err
		}
		answer := bundled{bundleSchema, o.File, !o.Only, []bundledPart{}}
		for _, p := range parts {
			answer.Parts = append(answer.Parts, bundledPart{p.Name, len(p.Text), p.What, p.Failed})
		}
		if !o.Only {
			if err := writeBundle(o.File, o.Force, parts); err != nil {
				return exit.As(exit.NotLooked, err)
			}
		}
		return o.print(s, answer, func() { printBundled(s, &answer) })
	})
}

func printBundled(s *invocation, answer *bundled) {
	table := term.NewTable(">bytes", "name", "what")
	for _, p := range answer.Parts {
		what := term.Either(p.Failed != "", "failed: "+p.Failed, p.What)
		table.Row(fmt.Sprint(p.Size), p.Name, what)
	}
	table.Print(s.out, "", s.style)
	if answer.Written {
		fmt.Fprintf(s.out, "Written to %s. Read it before you publish it.\n", answer.File)
	}
}

// writeBundle writes an archive after all of it is made, so that an earlier error leaves no file.
func writeBundle(file string, force bool, parts []bundle.Part) error {
	var archive bytes.Buffer
	if err := bundle.Write(&archive, parts); err != nil {
		return err
	}
	return machine.WriteFile(file, archive.Bytes(), 0o600, force)
}

func logOfRun(s *invocation, source *machine.Source, limit time.Duration) (string, error) {
	found, err := probe.Find(s.executable, "")
	if err != nil {
		return "", err
	}
	loud := machine.WithVariable(source.Environ, variables.Debug.Name(), "all")
	told, err := probe.Run(context.Background(), probe.Short, found, loud, limit)
	if err != nil {
		return "", err
	}
	return told.Log + term.Enclosed("\n", told.Problem, "\n"), nil
}

// maker makes one or several parts of a bundle.
type maker struct {
	name, what string
	make       func() ([]bundle.Part, error)
}

// makersOf returns the makers for a program of a machine. Their parts hide personal data. still: they start no probe.
// limit is the time limit of each child process.
func makersOf(s *invocation, source *machine.Source, app string, still bool, limit time.Duration) []maker {
	ordinary := &machine.Source{Machine: source.Machine} // for no specific program
	hide := bundle.NewPrivate(bundle.People(source))
	var makers []maker
	text := func(name, what string, make func() (string, error)) {
		makers = append(makers, maker{name, what, func() ([]bundle.Part, error) {
			made, err := make()
			return []bundle.Part{hide.Part(name, what, made, err)}, nil
		}})
	}
	add := func(name, what string, look func() (any, error)) {
		text(name, what, func() (string, error) {
			value, err := look()
			if err != nil {
				return "", err
			}
			return encodeJSON(value)
		})
	}
	fresh := func() *machine.Source { // a decision makes its source imitate a loader
		one := *source
		return &one
	}
	add("explain.json", "drivers and layers, in their order, with reasons", func() (any, error) {
		return explainDecision(&subject{source: fresh()}, app, nil, false)
	})
	add("doctor.json", "findings and fixes", func() (any, error) {
		return examine(context.Background(), s, &subject{source: fresh()}, examination{})
	})
	add("variables.json", "the loader's variables (no others)", func() (any, error) { return variablesOf(ordinary) })
	add("paths.json", "search paths of drivers, layers and settings",
		func() (any, error) { return searchPaths(decide.HostOf(ordinary)) })
	for name, export := range exportsOf(source) {
		text(name, "the keys of the registry that loaders read", export)
	}
	text("system.txt", "the release of the system",
		func() (string, error) { return term.Text(bundle.System(source)), nil })
	if !still {
		add("version.json", "versions of the library and of the tool", func() (any, error) { return versionsOf(s) })
		add("info.json", "devices and times of a short run", func() (any, error) {
			return listTheDevices(s, source, nil, true, limit)
		})
		text("log.txt", "the loader's log of a short run", func() (string, error) {
			log, err := logOfRun(s, source, limit)
			return term.Text(log), err
		})
	}
	return append(makers, maker{"files.txt", "the reason why the manifests are missing", func() ([]bundle.Part, error) {
		answer, err := decide.Explain(fresh())
		if err != nil {
			return nil, err
		}
		parts := bundle.Files(hide, source, answer.Plan)
		for _, other := range otherViews(source) {
			if answer, err = decide.Explain(other); err != nil {
				return nil, err
			}
			for _, p := range bundle.Files(hide, other, answer.Plan) {
				if !slices.ContainsFunc(parts, func(have bundle.Part) bool { return have.Name == p.Name }) {
					parts = append(parts, p)
				}
			}
		}
		return parts, nil
	}})
}

// bundleParts makes every part. A fault affects only its part, and each may read as many files as a command.
func bundleParts(source *machine.Source, makers []maker) (parts []bundle.Part) {
	hide := bundle.NewPrivate(bundle.People(source))
	for _, m := range makers {
		made, err := m.try(source.Bound)
		if err != nil {
			made = []bundle.Part{hide.Part(m.name, m.what, "", fmt.Errorf("creating this part failed: %w", err))}
		}
		parts = append(parts, made...)
	}
	return bundle.Names(parts)
}

// try makes the parts within a bound; nil: without one.
func (m *maker) try(bound *machine.Bound) (parts []bundle.Part, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%v", fault)
		}
		if bound != nil {
			err = cmp.Or(bound.Err(), err)
			*bound = machine.Bound{Of: bound.Of, Total: bound.Total}
		}
	}()
	return m.make()
}
