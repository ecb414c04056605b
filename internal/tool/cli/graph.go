package cli

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// graphForms maps file extensions to picture formats.
var graphForms = map[string]func(io.Writer, *survey.Chain) error{".svg": survey.SVG, ".dot": survey.DOT}

func newGraph(s *invocation) *cobra.Command {
	var (
		out               output
		elevated, still   bool
		force             bool
		app, file, format string
		limit             time.Duration
		pid               int
	)
	cmd := &cobra.Command{
		Use:   "graph",
		Short: "Draw the chain from the program through layers to devices",
		Long: "graph draws the path of a program's calls: the program, the loader, layers with the commands that\n" +
			"they intercept, drivers and devices. The chain is the loader's own decision. Devices and intercepted\n" +
			"commands are found by child processes with a time limit; with --still or --root no process is\n" +
			"started, and they are shown as not asked. With --pid, the chain is that of a running process, by its own\n" +
			"variables; no process is started.\n\n" + exitCodesHelp,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			format = cmp.Or(format, strings.TrimPrefix(filepath.Ext(file), "."), "svg")
			draw := graphForms["."+format]
			if draw == nil {
				return fmt.Errorf("unknown format %q: svg or dot", format)
			}
			if file != "" && file != "-" && !force && !ownPicture(file) {
				return exit.Unable("%s: another program wrote this file; --force replaces it", term.OneLine(file))
			}
			about, err := s.subject(app, elevated, pid)
			if err != nil {
				return err
			}
			source, library := about.source, ""
			if about.process == nil {
				library = loaderFile(source)
			}
			chain, err := survey.LookAtChain(s.executable, library, source, still || source.Foreign() || elevated || pid != 0, limit)
			if err = cmp.Or(s.bound.Err(), err); err != nil {
				return exit.As(exit.NotLooked, err)
			}
			chain.Program = app
			if about.process != nil {
				chain.Program = about.process.Program
				if mapped := about.process.Loaders(); len(mapped) > 0 {
					chain.Library = mapped[0].Path
				}
			}
			if out.asJSON {
				chain.Schema = graphSchema
				err = writeJSON(s, chain)
			} else if file == "" || file == "-" {
				err = draw(term.Raw(s.out), chain)
			} else {
				var picture bytes.Buffer
				if err = draw(&picture, chain); err == nil {
					err = machine.WriteFile(file, picture.Bytes(), 0o666, true)
				}
			}
			if err == nil && chain.Problem != "" {
				err = exit.With(exit.Problems)
			}
			return err
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&file, "output", "o", "", "write to `FILE`.svg or .dot instead of standard output")
	flags.BoolVar(&force, "force", false, "replace a file that another program wrote")
	flags.StringVar(&format, "format", "", "format of the picture, svg or dot (default: by the file name)")
	out.option(cmd, graphSchema)
	flags.StringVar(&app, "app", "", "examine for the program with the executable `EXE`, a path or a name in PATH")
	flags.BoolVar(&elevated, "elevated", false, "examine for an elevated program, which has more rights than its user (setuid); load nothing")
	addPID(cmd, &pid)
	flags.BoolVar(&still, "still", false, "load no driver and no layer: the picture has no devices and no intercepted commands")
	flags.DurationVar(&limit, "timeout", 30*time.Second, "time limit for each child process")
	return cmd
}

// ownPicture reports whether a file can be replaced: it is missing, empty, or a picture of this tool.
func ownPicture(file string) bool {
	text, err := (&machine.Machine{}).ReadFile(file)
	return errors.Is(err, fs.ErrNotExist) || err == nil && (len(text) == 0 || survey.IsPicture(text))
}
