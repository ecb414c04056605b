package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/discover"
	"vkloader/internal/core/diag"
	"vkloader/internal/decide"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/environment"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/option"
	"vkloader/internal/tool/term"
	"vkloader/spec"
)

// onLinux and onWindows report whether the tool examines such a machine by default.
const (
	onLinux   = runtime.GOOS == "linux"
	onWindows = runtime.GOOS == "windows"
)

// versionLine is the format of --version.
const versionLine = "vkloader %s\n"

func newRoot(s *invocation, args []string) *cobra.Command {
	var o struct {
		output
		NoProbe bool `option:"no-probe"`
	}
	root := &cobra.Command{
		Use:           "vkloader",
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
			if s.ActAs != "" {
				if done, err := become(s, cmd.Name()); done {
					return err
				}
			}
			ownHomes(s, cmd.Name() == "hook")
			return option.Check(cmd.Flags())
		},
		RunE: func(*cobra.Command, []string) error {
			return overview(s, term.Either(o.NoProbe, filesOnly, tryAwake), &o.output)
		},
	}
	root.Annotations = map[string]string{"schema": fmt.Sprint(doctor.Schema)}
	option.Add(root.Flags(), &o)
	option.Add(root.PersistentFlags(), s)
	root.SetOut(term.Raw(s.out)) // for cobra's own output to shells
	root.SetErr(s.errOut)
	root.SetVersionTemplate(fmt.Sprintf(versionLine, "{{.Version}}"))
	root.CompletionOptions.HiddenDefaultCmd = true
	setHelp(s, root)
	commands, every := commandsFor(args)
	root.CompletionOptions.DisableDefaultCmd = !every
	for _, c := range commands {
		root.AddCommand(c.make(s))
	}
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		root.SetOut(&completions{to: term.Raw(s.out), typed: args[len(args)-1], offered: map[string]bool{}})
	}
	if slices.ContainsFunc(args, func(arg string) bool { return strings.HasPrefix(arg, cobra.ShellCompRequestCmd) }) {
		describe(root)
		completeOptions(s, root)
	}
	return root
}

func runLine(s *invocation, args []string) int {
	out := term.NewWrapper(s.out, s.getenv)
	messages := term.Cleaner{To: term.NewWrapper(s.errOut, s.getenv), Plain: true}
	s.args, s.plain, s.style = args, s.out, term.StyleFor(s.out, s.getenv)
	// Standard error also carries the output of programs that run under the tool.
	s.out = term.Cleaner{To: out, Plain: !s.style.Coloured}
	s.in = asking{s.in, out}
	err := execute(s, args, messages)
	for _, directory := range s.temporary {
		_ = os.RemoveAll(directory) // the system removes the rest
	}
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
		err = examineError(bound)
	}
	if err == nil {
		return exit.Fine
	}
	if text := exit.Message(err); text != "" {
		fmt.Fprintf(messages, "vkloader: %s\n", text)
	}
	if errors.Is(err, discover.ErrEndless) {
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
	args = s.withCommand(args)
	root := newRoot(s, args)
	root.SetErr(messages)
	root.SetArgs(args)
	cmd, err := root.ExecuteC()
	err = usageError(s, cmd, err)
	if err != nil && exit.CodeOf(err) == exit.Usage && !strings.Contains(err.Error(), "\n") {
		err = fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())
	}
	return err
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
	return runLine(&invocation{out: out, errOut: errOut, environ: environ, executable: executable,
		self: term.Either(onLinux, "/proc/self/exe", executable), in: os.Stdin,
		terminal: term.IsTerminal(os.Stdin)}, args[1:])
}

// command is a command of the tool: its name and its constructor.
type command struct {
	name string
	make func(*invocation) *cobra.Command
}

func everyCommand() []command {
	return append([]command{
		{"ps", newPs},
		{"list", newList},
		{"explain", newExplain},
		{"doctor", newDoctor},
		{"settings", newSettings},
		{"validate", newValidate},
		{"check", newCheck},
		{"run", newRun},
		{"bundle", newBundle},
		{"ui", newUI},
		{"version", newVersion},
		{commandOfPages, newPages},
	}, commandsOfSystem()...)
}

// commandsFor lists the commands that a command line needs. A line that begins with a command's name needs only that
// command, so that the tool starts faster. Every other line may need all of them.
func commandsFor(args []string) (list []command, every bool) {
	list = everyCommand()
	if len(args) == 0 || args[0] == commandOfPages {
		return list, true
	}
	for i, c := range list {
		if c.name == args[0] {
			return list[i : i+1], false
		}
	}
	return list, true
}

// withCommand returns the command line for a first word that is no command: it puts validate before a manifest, and
// explain before another known word.
func (s *invocation) withCommand(args []string) []string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) ||
		slices.Contains([]string{"help", "completion"}, args[0]) ||
		slices.ContainsFunc(everyCommand(), func(c command) bool { return c.name == args[0] }) {
		return args
	}
	if info, err := os.Stat(args[0]); err == nil && info.Mode().IsRegular() && strings.HasSuffix(args[0], ".json") {
		return append([]string{"validate"}, args...)
	}
	if _, is := spec.Find(args[0]); is || findingOf(args[0]) != nil || s.isEntry(args[0]) || programOf(args[0]) != "" {
		return append([]string{"explain"}, args...)
	}
	return args
}

// findingOf returns the kind of finding of this name; nil: none.
func findingOf(name string) *doctor.CodeEntry {
	found := doctor.Code(name).Entry()
	diag.Codes(func(_ diag.Code, e *diag.Entry) {
		if e.Name == name && found == nil {
			found = &doctor.CodeEntry{Entry: *e}
		}
	})
	return found
}

// printKind describes a kind of finding in the form in which doctor prints findings.
func printKind(s *invocation, c *doctor.CodeEntry) {
	fmt.Fprintf(s.out, "%s %s: a finding of vkloader doctor\n", s.severity(c.Severity), s.style.Heading(c.Name))
	s.text("    why  ", c.Means)
	s.text("    do   ", c.Do)
	s.text("    rule ", c.Statement)
}

// explainWord answers for a word that is a statement, a finding or a variable, and otherwise returns false.
func explainWord(s *invocation, word string) bool {
	statement, is := spec.Find(word)
	finding := findingOf(word)
	entries := environment.Guide()
	variable := slices.IndexFunc(entries, func(e environment.VariableGuide) bool { return e.Name == word })
	switch {
	case is:
		printStatement(s.out, statement)
	case finding != nil:
		printKind(s, finding)
	case variable >= 0:
		printVariable(s.out, &entries[variable])
	default:
		return false
	}
	return true
}

// printVariable describes a variable of the loader.
func printVariable(out io.Writer, e *environment.VariableGuide) {
	fmt.Fprintf(out, "%s: a variable of the loader\n", e.Name)
	for _, part := range [][2]string{{"does", e.Told()}, {"takes", e.Takes}, {"yields to", e.YieldsTo},
		{"elevated", e.Elevated()}, {"statements", strings.Join(e.Statements, ", ")}} {
		if part[1] != "" {
			fmt.Fprintf(out, "    %-10s  %s\n", part[0], environment.Plain(part[1]))
		}
	}
}

// programOf returns the path of a program, by its path or its name in PATH; "": there is none.
func programOf(word string) string {
	if !strings.ContainsAny(word, `/\`) {
		path, _ := lookUp(word)
		return path
	}
	whole, _ := filepath.Abs(word)
	info, err := os.Stat(word)
	here := &machine.Machine{}
	switch {
	case err != nil:
		return ""
	case binary.Launch(here, whole) != nil: // a script, a bundle or an image
		return word
	case info.Mode().IsRegular() &&
		(info.Mode()&0o111 != 0 || onWindows || binary.ProgramOf(here, whole) != binary.Program{}):
		return word
	}
	return ""
}

// isEntry reports whether a word is the library of a driver or layer of this machine, or its name or a part of it
// between separators.
func (s *invocation) isEntry(word string) bool {
	source, err := s.source("", false)
	if err != nil {
		return false
	}
	answer, err := decide.Explain(source)
	return err == nil && slices.ContainsFunc(slices.Concat(answer.In, answer.Out), func(e explain.Item) bool {
		name, word := strings.ToLower(e.Name), strings.ToLower(word)
		return word == name || word == strings.ToLower(e.Library) ||
			slices.Contains(strings.FieldsFunc(name, func(r rune) bool {
				return strings.ContainsRune("_.-", r)
			}), word)
	})
}
