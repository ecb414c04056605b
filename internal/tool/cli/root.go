package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/image"
	"vkloader/internal/tool/term"
)

const exitCodesHelp = "Exit codes: 0 fine, 1 problems found, 2 wrong usage, 3 the examination could not run."

// All that a command may use of the process it runs in.
type surroundings struct {
	out, errOut io.Writer
	environ     []string
	executable  string
	self        string // this program, for children of it

	in       io.Reader // answers to questions
	terminal bool      // who answers sits before it

	root      string       // --root: the directory that is examined as a file system; "": this machine
	variables []string     // --env: changes to the environment
	rules     bool         // --rules: with the ids of statements
	image     *image.Image // that root is; nil: none, or not read yet

	// On Windows, where a program's word size is chosen, and its rights may be less than the tool's:
	class  int  // 32 or 64; 0: that of the program
	asUser bool // --elevated=false

	answered func(value any) // when not nil, is given every answer that is printed as JSON
}

func (s *surroundings) getenv(name string) string {
	value := ""
	for _, pair := range s.environ {
		if len(pair) > len(name) && pair[len(name)] == '=' && pair[:len(name)] == name {
			value = pair[len(name)+1:]
		}
	}
	return value
}

func newRoot(s *surroundings) *cobra.Command {
	root := &cobra.Command{
		Use:   "vkloader",
		Short: "Explain and repair the Vulkan set-up of this machine",
		Long: "vkloader shows what programs on this machine get from the Vulkan loader that it was built with. Alone it shows\n" +
			"one screen: what works, what is there, what needs attention.\n" +
			"It loads no driver and no layer itself; where that is needed, a child process does.\n\n" + exitCodesHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       release,
		PersistentPreRun: func(cmd *cobra.Command, _ []string) {
			if f := cmd.Flags().Lookup("bits"); onWindows && f != nil && f.Changed {
				s.class = map[string]int{"32": 32, "64": 64}[f.Value.String()]
			}
			if f := cmd.Flags().Lookup("elevated"); f != nil && f.Changed {
				s.asUser = f.Value.String() == "false"
			}
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) > 0 {
				return fmt.Errorf("unknown command %q; see vkloader help", args[0])
			}
			return s.overview()
		},
	}
	root.SetOut(s.out)
	root.SetErr(s.errOut)
	root.PersistentFlags().StringVar(&s.root, "root", "",
		"examine the file system below this `DIRECTORY`, such as a container's or a sysroot, or that of an image's archive")
	root.PersistentFlags().StringArrayVar(&s.variables, "env", nil,
		"`NAME=VALUE` that would be set; NAME alone: unset; may be repeated")
	completes(root, map[string]completion{"env": completeVariables})
	if err := root.MarkPersistentFlagDirname("root"); err != nil {
		panic(err)
	}
	root.PersistentFlags().BoolVar(&s.rules, "rules", false, "name the statements of the specification behind what is said")
	root.SetVersionTemplate("vkloader {{.Version}}\n")
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetHelpCommand(newHelp(s))
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(s, cmd) })
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := io.WriteString(s.errOut, usageText(cmd, helpWidth(s)))
		return err
	})
	root.AddCommand(
		newInfo(s),
		newPs(s),
		newList(s),
		newExplain(s),
		newDoctor(s),
		newEnv(s),
		newSettings(s),
		newQuarantine(s),
		newValidate(s),
		newRun(s),
		newGraph(s),
		newVersion(s),
		newPages(s),
		newVariablesHelp(),
	)
	root.AddCommand(commandsOfSystem(s)...)
	return root
}

// run carries out a command line and gives the exit code.
func run(s *surroundings, args []string) int {
	s.out = term.Cleaner{To: s.out} // not standard error: what a program writes there that runs under the tool is its own
	root := newRoot(s)
	root.SetErr(term.Cleaner{To: s.errOut})
	root.SetArgs(args)
	err := root.Execute()
	if err == nil {
		return exit.Fine
	}
	if text := err.Error(); text != "" {
		fmt.Fprintf(term.Cleaner{To: s.errOut}, "vkloader: %s\n", text)
	}
	return exit.CodeOf(err)
}

// Main carries out the command line of a process and gives its exit code.
func Main(args, environ []string, out, errOut io.Writer) int {
	executable, err := os.Executable()
	if err != nil {
		executable = args[0]
	}
	return run(&surroundings{out: out, errOut: errOut, environ: environ, executable: executable, self: self(executable), in: os.Stdin,
		terminal: isTerminal(os.Stdin)}, args[1:])
}
