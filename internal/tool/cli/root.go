package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/decide"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

const exitCodesHelp = "Exit codes: 0 fine or warnings only, 1 problems, 2 wrong usage, 3 the machine could not be examined."

// versionLine is the format of --version.
const versionLine = "vkloader %s\n"

// newRoot returns the root command with the commands that a command line needs.
func newRoot(s *invocation, args []string) *cobra.Command {
	var out output
	var noProbe bool
	root := &cobra.Command{
		Use:   "vkloader",
		Short: "Explain and repair the Vulkan installation of this machine",
		Long: "vkloader explains and repairs the Vulkan installation of a machine. Without a command it shows one\n" +
			"screen: what works, which devices, drivers and layers there are, and what needs attention.\n\n" +
			"The tool itself loads no driver and no layer; child processes load them.\n\n" + exitCodesHelp,
		SilenceErrors: true,
		SilenceUsage:  true,
		Version:       release,
		PersistentPreRunE: func(cmd *cobra.Command, _ []string) error {
			if f := cmd.Flags().Lookup("bits"); f != nil && f.Changed {
				s.class = map[string]int{"32": 32, "64": 64}[f.Value.String()]
			}
			if f := cmd.Flags().Lookup("elevated"); f != nil && f.Changed {
				s.asUser = f.Value.String() == "false"
				s.elevated = !s.asUser
			}
			if s.actAs != "" {
				if done, err := become(s); done {
					return err
				}
			}
			ownHomes(s, cmd.Name() == "hook")
			return possible(cmd)
		},
		Args: knownSubcommand,
		RunE: func(*cobra.Command, []string) error {
			if noProbe {
				return overview(s, filesOnly, &out)
			}
			return overview(s, tryAwake, &out)
		},
	}
	root.Flags().BoolVar(&out.asJSON, "json", false, fmt.Sprintf("print JSON (schema %d): the report of doctor", doctor.Schema))
	root.SetFlagErrorFunc(flagError)
	root.SetOut(term.Raw(s.out)) // for cobra's own output to shells
	root.SetErr(s.errOut)
	root.Flags().BoolVar(&noProbe, "no-probe", false, "without a command: load no driver and no layer; examine files only")
	root.PersistentFlags().StringVar(&s.root, "root", "",
		"examine this root `DIRECTORY` instead of /: a container's root, or a sysroot")
	root.PersistentFlags().StringArrayVar(&s.variables, "env", nil,
		"examine with a variable set: `NAME=VALUE`; NAME alone: with the variable unset; may be repeated")
	completes(root, map[string]completion{"env": completeVariables})
	if err := root.MarkPersistentFlagDirname("root"); err != nil {
		panic(err)
	}
	root.PersistentFlags().BoolVar(&s.rules, "rules", false, "show the IDs of the specification statements behind each result")
	addAsUser(root, s)
	root.SetVersionTemplate(fmt.Sprintf(versionLine, "{{.Version}}"))
	root.CompletionOptions.HiddenDefaultCmd = true
	root.SetHelpCommand(newHelp(s))
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { printHelp(s, cmd) })
	root.SetUsageFunc(func(cmd *cobra.Command) error {
		_, err := io.WriteString(s.errOut, usageText(cmd, helpWidth(s)))
		return err
	})
	commands, every := commandsFor(args)
	root.CompletionOptions.DisableDefaultCmd = !every
	for _, c := range commands {
		cmd := c.make(s)
		if renamed[c.name] != "" {
			cmd.Hidden = true
			_, arguments, _ := strings.Cut(cmd.Use, " ")
			cmd.Use = strings.TrimSpace(c.name + " " + arguments)
		}
		root.AddCommand(cmd)
	}
	addAllHelp(root)
	return root
}

// runLine runs a command line and returns the exit code.
func runLine(s *invocation, args []string) int {
	out := term.NewWrapper(s.out, s.getenv)
	messages := term.Cleaner{To: term.NewWrapper(s.errOut, s.getenv), Plain: true}
	s.args, s.plain, s.style = args, s.out, term.StyleFor(s.out, s.getenv)
	// Standard error also carries the output of programs that run under the tool.
	s.out = term.Cleaner{To: out, Plain: !s.style.Coloured()}
	s.in = asking{s.in, out}
	err := execute(s, args, messages)
	s.removeTemporary()
	out.Flush()
	if out.Err != nil {
		why := out.Err
		if of := (*fs.PathError)(nil); errors.As(why, &of) { // without the path
			why = of.Err
		}
		fmt.Fprintf(messages, "vkloader: nothing more can be written to standard output: %v\n", why)
		return exit.NotLooked
	}
	if bound := s.bound.Err(); bound != nil && !errors.Is(err, bound) {
		err = notLooked(bound)
	}
	if err == nil {
		return exit.Fine
	}
	if text := exit.Message(err); text != "" {
		fmt.Fprintf(messages, "vkloader: %s\n", text)
	}
	if errors.Is(err, decide.ErrEndless) {
		return exit.NotLooked
	}
	return exit.CodeOf(err)
}

// execute finds the command and runs it. "--version" needs no command.
func execute(s *invocation, args []string, messages io.Writer) error {
	if len(args) == 1 && args[0] == "--version" {
		_, err := fmt.Fprintf(s.out, versionLine, release)
		return err
	}
	sayRenamed(messages, args)
	args = s.meant(args)
	root := newRoot(s, args)
	root.SetErr(messages)
	root.SetArgs(args)
	return root.Execute()
}

// asking reads answers. It first writes the buffered question.
type asking struct {
	io.Reader
	out *term.Wrapper
}

func (a asking) Read(data []byte) (int, error) {
	a.out.Flush()
	return a.Reader.Read(data)
}

// Main runs the command line of a process and returns its exit code.
func Main(args, environ []string, out, errOut io.Writer) int {
	executable, err := os.Executable()
	if err != nil {
		executable = args[0]
	}
	return runLine(&invocation{out: out, errOut: errOut, environ: environ, executable: executable, self: self(executable), in: os.Stdin,
		terminal: isTerminal(os.Stdin)}, args[1:])
}

// command is a command of the tool: its name and its constructor.
type command struct {
	name string
	make func(*invocation) *cobra.Command
}

// everyCommand lists the commands of the tool on this system.
func everyCommand() []command {
	return append([]command{
		{"info", newInfo},
		{"ps", newPs},
		{"list", newList},
		{"explain", newExplain},
		{"doctor", newDoctor},
		{"env", newEnv},
		{"settings", newSettings},
		{"quarantine", newQuarantine},
		{"validate", newValidate},
		{"check", newCheck},
		{"wait", newWait},
		{"run", newRun},
		{"graph", newGraph},
		{"bundle", newBundle},
		{"ui", newUI},
		{"version", newVersion},
		{commandOfPages, newPages},
		{topicOfVariables, func(*invocation) *cobra.Command { // the text is made on demand
			return &cobra.Command{Use: topicOfVariables, Short: "Environment variables that the loader reads"}
		}},
	}, commandsOfSystem()...)
}

// commandsFor lists the commands that a command line needs. A line that begins with a command's name needs only that
// command, and "--version" needs none, so that the tool starts faster. Every other line may need all of them.
func commandsFor(args []string) (list []command, every bool) {
	list = everyCommand()
	if len(args) == 1 && args[0] == "--version" {
		return nil, false
	}
	if len(args) == 0 || args[0] == commandOfPages || args[0] == topicOfVariables {
		return list, true
	}
	for i, c := range list {
		if c.name == args[0] {
			return list[i : i+1], false
		}
	}
	return list, true
}
