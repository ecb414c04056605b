package cli

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/discover"
	"vkloader/internal/core/diag"
	"vkloader/internal/decide"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
	"vkloader/spec"
)

const exitCodesHelp = "Exit codes: 0 fine or warnings only, 1 problems, 2 wrong usage, 3 the machine could not be examined."

// versionLine is the format of --version.
const versionLine = "vkloader %s\n"

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
				if done, err := become(s, cmd.Name()); done {
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
	if len(args) > 0 && strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		root.SetOut(&completions{to: term.Raw(s.out), typed: args[len(args)-1], offered: map[string]bool{}})
	}
	root.SetErr(s.errOut)
	root.Flags().BoolVar(&noProbe, "no-probe", false, "without a command: load no driver and no layer; examine files only")
	root.PersistentFlags().StringVar(&s.root, "root", "",
		"examine this root `DIRECTORY` instead of /: a container's root, or a sysroot")
	root.PersistentFlags().StringArrayVar(&s.variables, "env", nil,
		"set a variable for the examination, `NAME=VALUE`, or unset the variable NAME; may be repeated")
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
		root.AddCommand(c.make(s))
	}
	addAllHelp(root)
	return root
}

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
	return groupError(root.Execute())
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

// synonyms maps words that users type for a command to the command.
var synonyms = map[string][]string{
	"status":    {"doctor"},
	"fix":       {"doctor", "--fix"},
	"devices":   {"list", "devices"},
	"drivers":   {"list", "drivers"},
	"layers":    {"list", "layers"},
	"variables": {"list", "variables"},
}

// withCommand returns the command line for a first word that is no command. It replaces a synonym by its command, and puts
// validate before a manifest and explain before other known words. It returns other command lines unchanged.
func (s *invocation) withCommand(args []string) []string {
	if len(args) == 0 || strings.HasPrefix(args[0], "-") || slices.ContainsFunc(everyCommand(), func(c command) bool { return c.name == args[0] }) ||
		args[0] == "help" || args[0] == "completion" || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd) {
		return args
	}
	if words := synonyms[args[0]]; words != nil {
		return append(slices.Clone(words), args[1:]...)
	}
	switch s.kindOfWord(args[0]) {
	case "manifest":
		return append([]string{"validate"}, args...)
	case "":
		if names := s.familyDrivers(args[0]); len(args) == 1 && len(names) > 0 {
			return append([]string{"explain"}, names...)
		}
		if len(args) == 1 && s.isDevice(args[0]) {
			return []string{"list", "devices", "--device", args[0]}
		}
		return args
	}
	return append([]string{"explain"}, args...)
}

// familyDrivers returns the names of the drivers of this machine whose family has a word in its name, such as RADV or lavapipe. The
// device of lavapipe is called llvmpipe.
func (s *invocation) familyDrivers(word string) (names []string) {
	if word = strings.ToLower(word); word == "llvmpipe" {
		word = "lavapipe"
	}
	source, err := s.source("", false)
	if err != nil {
		return nil
	}
	answer, err := decide.Explain(source)
	if err != nil {
		return nil
	}
	for _, e := range slices.Concat(answer.In, answer.Out) {
		family := drivers.Of(e.Library)
		if e.Kind == "driver" && family != nil && !slices.Contains(names, e.Name) &&
			slices.Contains(strings.Fields(strings.ToLower(family.Name)), word) {
			names = append(names, e.Name)
		}
	}
	return names
}

// isDevice reports whether a word is a number, or names a device of this machine as the kernel knows it.
func (s *invocation) isDevice(word string) bool {
	if _, err := strconv.ParseUint(word, 10, 8); err == nil {
		return true
	}
	m, err := s.machine()
	return err == nil && slices.ContainsFunc(drivers.GPUs(&m), func(g *drivers.GPU) bool {
		label := strings.ToLower(g.Label(&m))
		return word != "" && (strings.EqualFold(g.Name, word) || slices.Contains(strings.FieldsFunc(label,
			func(r rune) bool { return strings.ContainsRune(" ()[]", r) }), strings.ToLower(word)))
	})
}

// isProgram reports whether a file can be a program: an executable file, or one with the header of a program, script or image.
func isProgram(file string, info fs.FileInfo) bool {
	return info.Mode()&0o111 != 0 || onWindows || binary.ProgramOf(&machine.Machine{}, file) != binary.Program{} ||
		binary.Launch(&machine.Machine{}, file) != nil || binary.ReadImage(&machine.Machine{}, file) != nil
}

// kindOfWord returns the kind of a word: a statement, a finding, a manifest, a program, or a driver or layer of this machine; "" for others.
func (s *invocation) kindOfWord(word string) string {
	if _, ok := spec.Find(word); ok {
		return "statement"
	}
	if findingOf(word) != nil {
		return "finding"
	}
	if strings.ContainsAny(word, `/\`) {
		info, err := os.Stat(word)
		switch {
		case err == nil && info.IsDir() && !onWindows:
			if whole, err := filepath.Abs(word); err == nil && binary.Launch(&machine.Machine{}, whole) != nil {
				return "program"
			}
			return ""
		case err != nil || !info.Mode().IsRegular():
			return ""
		case strings.HasSuffix(word, ".json"):
			return "manifest"
		}
	}
	var names []string
	if source, err := s.source("", false); err == nil {
		if answer, err := decide.Explain(source); err == nil {
			for _, e := range slices.Concat(answer.In, answer.Out) {
				if names = append(names, strings.ToLower(e.Name)); word == e.Library {
					return "entry"
				}
			}
		}
	}
	if strings.ContainsAny(word, `/\`) {
		if info, err := os.Stat(word); err == nil && isProgram(word, info) {
			return "program"
		}
		return ""
	}
	// The name decides, and not the path: a part such as "sh" is in /usr/share. A program comes before a part of a word.
	own := func(name string) bool {
		return name == strings.ToLower(word) || slices.Contains(parts(name), strings.ToLower(word))
	}
	_, err := lookUp(word)
	switch {
	case slices.ContainsFunc(names, own):
		return "entry"
	case err == nil:
		return "program"
	case slices.ContainsFunc(names, func(name string) bool { return strings.Contains(name, strings.ToLower(word)) }):
		return "entry"
	}
	return ""
}

func parts(name string) []string {
	return strings.FieldsFunc(name, func(r rune) bool { return r == '_' || r == '.' || r == '-' })
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

// explainWord answers for a word that is no driver or layer. If the word is a program, it returns the program's path and
// done is false.
func explainWord(s *invocation, word string) (program string, done bool) {
	switch s.kindOfWord(word) {
	case "statement":
		statement, _ := spec.Find(word)
		printStatement(s.out, statement)
		return "", true
	case "finding":
		printKind(s, findingOf(word))
		return "", true
	case "program":
		if strings.ContainsRune(word, filepath.Separator) {
			return word, false
		}
		path, _ := lookUp(word)
		return path, false
	}
	return "", false
}
