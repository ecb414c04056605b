package cli

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/bundle"
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/graph"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// bundleSchema is raised when a field of bundle --json changes its meaning or goes.
const bundleSchema = 1

// bundled is what bundle says of an archive.
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
}

func newBundle(s *surroundings) *cobra.Command {
	var (
		asJSON, only, force, still bool
		app, file                  string
		limit                      time.Duration
	)
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "One archive for a bug report: decision, findings, versions, variables, log, manifests",
		Long: "bundle gathers what somebody else needs to see what this machine does: the decision, the findings, versions, the\n" +
			"loader's variables, the log of the probe, the manifests' texts. Home directories, login names and the\n" +
			"machine's name are replaced. --list shows what would go in; an archive that is there already is left alone.\n\n" +
			exitCodesHelp,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			source, err := s.source(app, false)
			if err != nil {
				return err
			}
			if !only && !force {
				if _, err := os.Lstat(file); err == nil {
					return fmt.Errorf("%s is there already: another name with -o, or --force", file)
				}
			}
			parts := s.bundleParts(source, app, still || source.Foreign(), limit)
			answer := bundled{bundleSchema, file, !only, []bundledPart{}}
			for _, p := range parts {
				answer.Parts = append(answer.Parts, bundledPart{p.Name, len(p.Text), p.What})
			}
			if !only {
				if err := writeBundle(file, force, parts); err != nil {
					return exit.As(exit.NotLooked, err)
				}
			}
			if asJSON {
				return writeJSON(s, answer)
			}
			table := term.NewTable(">bytes", "name", "what")
			for _, p := range answer.Parts {
				table.Row(fmt.Sprint(p.Size), p.Name, p.What)
			}
			table.Print(s.out, "", term.StyleFor(s.out, s.getenv))
			if !only {
				fmt.Fprintf(s.out, "Written to %s. Look through it before you give it away.\n", file)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&file, "output", "o", bundle.Directory+".tar.gz", "write to `FILE`")
	flags.BoolVar(&only, "list", false, "show what would go in, and write nothing")
	flags.BoolVar(&force, "force", false, "write over a file that is there")
	flags.BoolVar(&still, "still", false, "run nothing: without devices, and without a log")
	flags.BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", bundleSchema))
	flags.StringVar(&app, "app", "", "the program that the report is about: path of its executable")
	flags.DurationVar(&limit, "timeout", 30*time.Second, "how long each child may take")
	return cmd
}

// writeBundle writes an archive when all of it is made, so that what goes wrong before leaves nothing behind.
func writeBundle(file string, force bool, parts []bundle.Part) error {
	var archive bytes.Buffer
	if err := bundle.Write(&archive, parts); err != nil {
		return err
	}
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	out, err := os.OpenFile(file, mode, 0o600)
	if err != nil {
		return err
	}
	if _, err = archive.WriteTo(out); err != nil {
		err = errors.Join(err, out.Close(), os.Remove(file))
		return err
	}
	return out.Close()
}

// bundleParts gathers everything, with what is private hidden.
func (s *surroundings) bundleParts(source *machine.Source, app string, still bool, limit time.Duration) []bundle.Part {
	ordinary := &machine.Source{Machine: source.Machine} // for no program in particular
	hide := bundle.NewPrivate(bundle.People(source))
	var parts []bundle.Part
	text := func(name, what string, make func() (string, error)) {
		made, err := guarded(make)
		parts = append(parts, hide.Part(name, what, made, err))
	}
	add := func(name, what string, look func() (any, error)) {
		text(name, what, func() (string, error) {
			value, err := look()
			if err != nil {
				return "", err
			}
			return encodeJSON(hide.Value(value))
		})
	}
	add("explain.json", "what is loaded, in which order, and why", func() (any, error) { return explained(&subject{source: source}, app, nil) })
	add("doctor.json", "what is wrong, and what to do", func() (any, error) { return s.examined(&subject{source: source}, "", "", false, limit) })
	add("variables.json", "the loader's variables, and no others", func() (any, error) { return variablesOf(ordinary) })
	add("paths.json", "where drivers, layers and settings are looked for", func() (any, error) { return pathsOf(ordinary) })
	text("chain.html", "the chain as a picture", func() (string, error) {
		chain, err := survey.Chain(s.executable, source, still, limit)
		if err != nil {
			return "", err
		}
		chain.Program = app
		var html strings.Builder
		err = graph.HTML(&html, bundle.Hidden(hide, chain))
		return html.String(), err
	})
	text("system.txt", "distribution and kernel", func() (string, error) { return bundle.System(source), nil })
	if !still {
		add("version.json", "versions of the library and of the tool", func() (any, error) { return s.version() })
		add("info.json", "devices and times of a short run", func() (any, error) {
			return survey.Look(s.executable, source.Machine, survey.Options{Limit: limit})
		})
		text("log.txt", "what the loader says in a short run", func() (string, error) { return s.logOfRun(source, limit) })
	}
	var files []bundle.Part
	if _, err := guarded(func() (string, error) {
		answer, err := decision.Ask(source)
		if err == nil {
			files = bundle.Files(hide, source, answer)
		}
		return "", err
	}); err != nil {
		files = []bundle.Part{hide.Part("files.txt", "why there are no manifests here", "", err)}
	}
	return bundle.Names(append(parts, files...))
}

// guarded makes one part: what goes wrong with it, even a fault of the tool, is that part's text and takes no other along.
func guarded(make func() (string, error)) (text string, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			text, err = "", fmt.Errorf("a fault of the tool: %v", fault)
		}
	}()
	return make()
}

// logOfRun is the loader's log of the probe.
func (s *surroundings) logOfRun(source *machine.Source, limit time.Duration) (string, error) {
	found, err := probe.Find(s.executable, "")
	if err != nil {
		return "", err
	}
	told, err := probe.Run(found, machine.WithVariable(source.Environ, variables.Debug.Name(), "all"), limit)
	if err != nil {
		return "", err
	}
	if told.Problem != "" {
		return told.Log + "\n" + told.Problem + "\n", nil
	}
	return told.Log, nil
}
