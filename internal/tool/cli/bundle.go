package cli

import (
	"bytes"
	"fmt"
	"os"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/variables"
	"vkloader/internal/tool/bundle"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/term"
)

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

	Failed string `json:"failed,omitempty"` // why it could not be made, which is its text, too
}

func newBundle(s *invocation) *cobra.Command {
	var (
		out                output
		only, force, still bool
		app, file, part    string
		without            []string
		limit              time.Duration
	)
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "Write an archive for a bug report",
		Long: "bundle collects what a bug report needs: the decision, the findings, versions, the loader's\n" +
			"variables, the log of a probe and the texts of the manifests. Each part is made in a child process;\n" +
			"a part that fails is replaced by the reason.\n\n" +
			"Home directories, login names and the name of the machine are replaced. --list shows what the\n" +
			"archive would contain. An existing archive is not overwritten.\n\n" + exitCodesHelp,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			source, err := s.source(app, false)
			if err != nil {
				return err
			}
			g := gathering{app, still || source.Foreign(), limit, childrenOfPart*limit + slack}
			if part == allParts {
				return writeJSON(s, bundle.Send(bundleParts(s, source, g))) // for the page that shows them before an archive is made
			}
			if part != "" {
				return sendPart(s, makersOf(s, source, g), part)
			}
			if !only && !force {
				if _, err := os.Lstat(file); err == nil {
					return fmt.Errorf("%s is there already: another name with -o, or --force", file)
				}
			}
			parts, err := bundle.Without(bundleParts(s, source, g), without)
			if err != nil {
				return err
			}
			answer := bundled{bundleSchema, file, !only, []bundledPart{}}
			for _, p := range parts {
				answer.Parts = append(answer.Parts, bundledPart{p.Name, len(p.Text), p.What, p.Failed})
			}
			if !only {
				if err := writeBundle(file, force, parts); err != nil {
					return exit.As(exit.NotLooked, err)
				}
			}
			return out.print(s, answer, func() { printBundled(s, &answer) })
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&file, "output", "o", bundle.Directory+".tar.gz", "write to `FILE`")
	flags.BoolVar(&only, "list", false, "show what the archive would contain, and write nothing")
	flags.StringArrayVar(&without, "without", nil, "leave out the part with this `NAME`; may be repeated")
	flags.BoolVar(&force, "force", false, "overwrite an existing file")
	flags.BoolVar(&still, "still", false, "start no process: no devices, and no log")
	out.option(cmd, bundleSchema)
	flags.StringVar(&app, "app", "", "the program that the report is about: path of its executable")
	flags.DurationVar(&limit, "timeout", 30*time.Second, "time limit for each child process")
	flags.StringVar(&part, "part", "", "print this part alone: what the children do that make them")
	if err := flags.MarkHidden("part"); err != nil {
		panic(err)
	}
	return cmd
}

func printBundled(s *invocation, answer *bundled) {
	table := term.NewTable(">bytes", "name", "what")
	for _, p := range answer.Parts {
		what := p.What
		if p.Failed != "" {
			what = "failed: " + p.Failed
		}
		table.Row(fmt.Sprint(p.Size), p.Name, what)
	}
	table.Print(s.out, "", term.StyleFor(s.out, s.getenv))
	if answer.Written {
		fmt.Fprintf(s.out, "Written to %s. Look through it before you give it away.\n", answer.File)
	}
}

// writeBundle writes an archive when all of it is made, so that what goes wrong before leaves nothing behind.
func writeBundle(file string, force bool, parts []bundle.Part) error {
	var archive bytes.Buffer
	if err := bundle.Write(&archive, parts); err != nil {
		return err
	}
	return machine.WriteFile(file, archive.Bytes(), 0o600, force)
}

// logOfRun is the loader's log of the probe.
func logOfRun(s *invocation, source *machine.Source, limit time.Duration) (string, error) {
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
