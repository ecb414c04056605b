package cli

import (
	"fmt"
	"io"
	"os"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

const exitCodesHelp = "Exit codes: 0 fine, 1 problems found, 2 wrong usage, 3 the examination could not run."

func newRoot(s *invocation) *cobra.Command {
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
			return overview(s)
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
func run(s *invocation, args []string) int {
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
	return run(&invocation{out: out, errOut: errOut, environ: environ, executable: executable, self: self(executable), in: os.Stdin,
		terminal: isTerminal(os.Stdin)}, args[1:])
}
