package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
	"vkloader/internal/tool/validation"
	"vkloader/spec"
)

// words returns a command's words without the program's name, for the beginning of errors.
func words(cmd *cobra.Command) string {
	_, rest, _ := strings.Cut(cmd.CommandPath(), " ")
	return rest
}

func rejectArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no arguments, got %q", words(cmd), args[0])
}

// manyArguments is the greatest number of arguments.
const manyArguments = math.MaxInt

// arguments requires from least to most arguments. takes describes them, with its verb, in the error.
func arguments(least, most int, takes string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		if len(args) >= least && len(args) <= most {
			return nil
		}
		got := term.Either(len(args) > 0, ", got "+term.Count(len(args), "argument"), "")
		return fmt.Errorf("%s %s%s", words(cmd), takes, got)
	}
}

// oneOf requires one of a command's valid words or, with optional, no word.
func oneOf(optional bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		list := term.Choice(cmd.ValidArgs)
		switch {
		case len(args) == 0 && optional:
			return nil
		case len(args) == 0:
			return fmt.Errorf("%s needs %s", words(cmd), list)
		case len(args) > 1:
			return fmt.Errorf("%s takes one argument, %s; got %d", words(cmd), list, len(args))
		case !slices.Contains(cmd.ValidArgs, args[0]):
			return fmt.Errorf("%s needs %s, got %q%s", words(cmd), list, args[0], term.DidYouMean(args[0], cmd.ValidArgs))
		}
		return nil
	}
}

func subcommands(cmd *cobra.Command) (list []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			list = append(list, c.Name())
		}
	}
	return list
}

func knownSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	list := subcommands(cmd)
	if !cmd.HasParent() {
		return fmt.Errorf("there is no command %q%s", args[0], term.Or(term.DidYouMean(args[0], list), insteadOf(args)))
	}
	return fmt.Errorf("there is no command %q; %s has %s%s", words(cmd)+" "+args[0], words(cmd), strings.Join(list, ", "),
		term.DidYouMean(args[0], list))
}

// insteadOf returns the end of the message about an unknown command: the cause, or another command.
func insteadOf(args []string) string {
	word, name := args[0], "NAME"
	if len(args) > 1 {
		name = string(shell.Quoted(args[1]))
	}
	switch {
	case word == "enable":
		return "; to enable a layer: vkloader settings set --layer " + name + "=on"
	case word == "disable" && strings.HasSuffix(name, ".json"):
		return "; to disable a driver: vkloader settings set --driver " + name + "=off"
	case word == "disable":
		return "; to disable a layer: vkloader settings set --layer " + name + "=off; a driver: vkloader settings set --driver " + name + "=off"
	}
	if strings.ContainsAny(word, `/\`) {
		if info, err := os.Stat(word); err != nil {
			return ": " + exit.Message(err)
		} else if !info.IsDir() {
			return ": " + word + " is neither a program nor a manifest"
		}
		return ": " + word + " is a directory without a program that it starts"
	}
	return ", and no program, driver, layer, device or finding of this name; see vkloader help"
}

func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return knownSubcommand(cmd, args)
	}
	return fmt.Errorf("%s needs %s", words(cmd), term.Choice(subcommands(cmd)))
}

// showing gives a command without a subcommand the effect and the options of its subcommand show.
func showing(cmd, show *cobra.Command) {
	cmd.Args = knownSubcommand
	cmd.Flags().AddFlagSet(show.Flags())
	cmd.RunE = func(*cobra.Command, []string) error { return show.RunE(show, nil) }
}

// flagError returns the error for an invalid option in the tool's own words.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing):
		return unknownFlag(cmd, missing)
	case errors.As(err, &bare):
		value, _ := pflag.UnquoteUsage(bare.GetFlag())
		return fmt.Errorf("--%s needs a value: %s", bare.GetFlag().Name, term.Or(value, "one more argument"))
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s %s", invalid.GetFlag().Name, valueWanted(invalid.GetFlag().Value, invalid.GetValue()))
	}
	return err
}

// groupError returns cobra's error for options that exclude each other in the tool's own words. It returns other errors as they are.
func groupError(err error) error {
	if err == nil || !strings.HasPrefix(err.Error(), "if any flags in the group ") {
		return err
	}
	_, set, _ := strings.Cut(err.Error(), "; [")
	set, _, _ = strings.Cut(set, "]")
	return fmt.Errorf("--%s exclude each other", strings.Join(strings.Fields(set), " and --"))
}

func unknownFlag(cmd *cobra.Command, missing *pflag.NotExistError) error {
	name := missing.GetSpecifiedName()
	of := strings.TrimSpace("vkloader " + words(cmd))
	if missing.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("%s has no option -%s; see %s --help", of, name, of)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := term.NearestName(name, names); near != "" {
		return fmt.Errorf("%s has no option --%s; did you mean --%s?", of, name, near)
	}
	return fmt.Errorf("%s has no option --%s; see %s --help", of, name, of)
}

func valueWanted(value pflag.Value, got string) string {
	if one, is := value.(choice); is {
		return fmt.Sprintf("needs %s, got %q%s", term.Choice(one.words), got, term.DidYouMean(got, one.words))
	}
	switch value.Type() {
	case "duration":
		if n, err := strconv.Atoi(got); err == nil {
			return fmt.Sprintf("needs a time with its unit: %ds for seconds, %dm for minutes", n, n)
		}
		return fmt.Sprintf("needs a time with its unit, such as 5s or 2m, got %q", got)
	case "bool":
		return fmt.Sprintf("needs true or false, got %q", got)
	case "int", "int64", "int32", "uint", "uint64", "uint32":
		return fmt.Sprintf("needs a whole number, got %q", got)
	}
	return fmt.Sprintf("does not take %q", got)
}

// choice is the value of an option that takes one of some words.
type choice struct {
	value *string
	words []string
}

func (c choice) String() string { return *c.value }
func (c choice) Type() string   { return "word" }

// Set implements pflag.Value.
func (c choice) Set(text string) error {
	if !slices.Contains(c.words, text) {
		return errors.New("another word") // flagError lists the words
	}
	*c.value = text
	return nil
}

func addChoice(cmd *cobra.Command, value *string, name, initial, usage string, words ...string) {
	*value = initial
	cmd.Flags().Var(choice{value, words}, name, usage)
	completes(cmd, map[string]completion{name: completeWith(words...)})
}

// needed is the annotation of an option with the options of which it needs one.
const needed = "vkloader needs"

// needs makes options invalid without one of some others.
func needs(cmd *cobra.Command, others []string, options ...string) {
	for _, name := range options {
		cmd.Flags().Lookup(name).Annotations = map[string][]string{needed: others}
	}
}

// excludes makes an option exclude each of some others, as far as the command has them.
func excludes(cmd *cobra.Command, option string, others ...string) {
	for _, other := range others {
		if cmd.Flags().Lookup(other) != nil {
			cmd.MarkFlagsMutuallyExclusive(option, other)
		}
	}
}

// possible rejects non-positive durations and process numbers, and options without those that they need.
func possible(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if list := f.Annotations[needed]; list != nil && !slices.ContainsFunc(list, cmd.Flags().Changed) && err == nil {
			err = fmt.Errorf("--%s needs --%s", f.Name, strings.Join(list, " or --"))
		}
		if pid, parsed := strconv.Atoi(f.Value.String()); f.Name == "pid" && parsed == nil && pid <= 0 && err == nil {
			err = fmt.Errorf("--pid needs a process ID, got %s", f.Value)
		}
		if length, parsed := time.ParseDuration(f.Value.String()); f.Value.Type() == "duration" && parsed == nil && length <= 0 && err == nil {
			err = fmt.Errorf("--%s needs a time longer than 0, got %s", f.Name, f.Value)
		}
	})
	return err
}

// newHelp returns cobra's help command for commands and topics. For the ID of a statement, it prints the statement.
func newHelp(s *invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "help [command | topic | ID | finding | variable]",
		Short: "Show help for commands, topics, findings and variables",
		Long: "help describes a command. With the ID of a statement, such as LAY-173, it prints that statement of\n" +
			"the loader's specification; explain and validate name these IDs with --rules.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if statement, ok := spec.Find(args[0]); ok {
					printStatement(s.out, statement)
					return nil
				}
				if code := findingOf(args[0]); code != nil {
					printKind(s, code)
					return nil
				}
				if text := variableHelp(args[0]); text != "" {
					fmt.Fprint(s.out, text)
					return nil
				}
			}
			found, _, err := cmd.Root().Find(args)
			if err != nil || found == nil || found == cmd.Root() && len(args) > 0 {
				return exit.As(exit.Usage, fmt.Errorf("there is no command, topic, statement, finding or variable %q", strings.Join(args, " ")))
			}
			found.InitDefaultHelpFlag()
			return found.Help()
		},
	}
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		var names []string
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		for _, c := range cmd.Root().Commands() {
			if c.IsAvailableCommand() && strings.HasPrefix(c.Name(), begun) {
				names = append(names, c.Name())
			}
		}
		for _, id := range spec.IDs() {
			if begun != "" && strings.HasPrefix(id, strings.ToUpper(begun)) {
				names = append(names, id)
			}
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return cmd
}

// fillTopic sets a topic's text before its output.
func fillTopic(cmd *cobra.Command) {
	if cmd.Name() == topicOfVariables && cmd.IsAdditionalHelpTopicCommand() && cmd.Long == "" {
		cmd.Long = variablesHelp()
	}
}

func printHelp(s *invocation, cmd *cobra.Command) {
	fillTopic(cmd)
	width := helpWidth(s)
	fmt.Fprint(s.out, term.Reflow(cmp.Or(shorten(cmd), cmd.Long, cmd.Short), width))
	if cmd.Runnable() || cmd.HasSubCommands() {
		fmt.Fprint(s.out, "\n", usageText(cmd, width))
	}
}

// helpWidth returns the terminal's width, at most 80, because longer lines are hard to read.
func helpWidth(s *invocation) int {
	const most, least = 80, 40
	if width := s.style.Width(); width > 0 {
		return min(max(width, least), most)
	}
	return most
}

// usageText returns the part of the help after the description: usage, examples, subcommands and options.
func usageText(cmd *cobra.Command, width int) string {
	var b strings.Builder
	b.WriteString("Usage:\n")
	if cmd.Runnable() {
		b.WriteString(term.Hanging("  "+cmd.UseLine(), "      ", width))
	}
	if cmd.HasAvailableSubCommands() {
		b.WriteString("  " + cmd.CommandPath() + " [command]\n")
	}
	if cmd.HasExample() {
		b.WriteString("\nExamples:\n" + strings.TrimRight(cmd.Example, "\n") + "\n")
	}
	list := func(title string, wanted func(*cobra.Command) bool) {
		for _, sub := range cmd.Commands() {
			if wanted(sub) {
				b.WriteString(title)
				name := fmt.Sprintf("  %-*s ", cmd.NamePadding(), sub.Name())
				b.WriteString(term.Hanging(name+sub.Short, strings.Repeat(" ", len(name)), width))
				title = ""
			}
		}
	}
	list("\nAvailable Commands:\n", func(c *cobra.Command) bool { return c.IsAvailableCommand() || c.Name() == "help" })
	if cmd.HasAvailableLocalFlags() {
		b.WriteString("\nFlags:\n" + cmd.LocalFlags().FlagUsagesWrapped(width))
	}
	if cmd.HasAvailableInheritedFlags() {
		b.WriteString("\nGlobal Flags:\n" + cmd.InheritedFlags().FlagUsagesWrapped(width))
	}
	list("\nAdditional help topics:\n", (*cobra.Command).IsAdditionalHelpTopicCommand)
	if cmd.HasAvailableSubCommands() {
		b.WriteString("\n" + term.Reflow("Use \""+cmd.CommandPath()+" [command] --help\" for more about a command.", width))
	}
	return b.String()
}

func printStatement(out io.Writer, s spec.Statement) {
	fmt.Fprintf(out, "%s  %s (spec/%s)\n\n", s.ID, s.Subject, s.Page)
	for _, line := range strings.Split(s.Text, "\n") {
		if line != "" {
			line = "  " + line
		}
		fmt.Fprintln(out, line)
	}
}

// allHelp is the option that shows the whole help of a command with a brief one.
const allHelp = "all"

// briefHelp is a help that fits one screen: a description and the most used options.
type briefHelp struct {
	long  string
	flags []string
}

// briefs are the brief helps of commands with many options, by the command's words.
var briefs = map[string]briefHelp{
	"doctor": {"doctor names each problem between a program and its GPU, with its cause (why) and a fix (do). It examines devices, manifests,\n" +
		"libraries and variables, and tries drivers and layers in child processes. It wakes no sleeping device without --probe.\n\n" +
		fixBrief + "\n\n" + exitCodesHelp,
		[]string{"app", "pid", "fix", "dry-run", "undo", "full", "json", "markdown", "no-probe", "probe"}},
	"run": {runBrief + " --find-culprit runs the program repeatedly, and names the layer or driver that makes it fail.\n\n" +
		"Exit codes: the program's own; 126 it cannot be run, 127 it is not found, 2 wrong usage.",
		[]string{"device", "driver", "layer", "no-layers", "log", "time", "dry-run", "find-culprit", "apply"}},
}

func addAllHelp(root *cobra.Command) {
	for _, cmd := range root.Commands() {
		if _, brief := briefs[cmd.Name()]; brief {
			cmd.Flags().Bool(allHelp, false, "with --help: every option")
		}
	}
}

// shorten returns the description of a brief help, and hides the other options of its command; "" for other commands, and
// with --all.
func shorten(cmd *cobra.Command) string {
	brief, is := briefs[words(cmd)]
	if all, _ := cmd.Flags().GetBool(allHelp); !is || all {
		return ""
	}
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		f.Hidden = f.Hidden || !slices.Contains(brief.flags, f.Name) && f.Name != allHelp
	})
	return brief.long
}

// completion returns the possible next words for a shell.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

func completeWith(words ...string) completion {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// completions passes the lines of completions on to a shell's script. It leaves out words that a shell would have to quote, and a
// second line of a word: of several lines, bash inserts the common beginning. The last line, a colon and a number, is cobra's.
type completions struct {
	to      io.Writer
	typed   string
	offered map[string]bool
}

// Write implements io.Writer for whole lines.
func (c *completions) Write(data []byte) (int, error) {
	list := strings.LastIndexByte(c.typed, ',') + 1 // the words of a list before the typed one
	for line := range strings.Lines(string(data)) {
		word, _, _ := strings.Cut(strings.TrimSuffix(line, "\n"), "\t")
		last := strings.TrimPrefix(word, c.typed[:list])
		if c.offered[word] && word[0] != ':' || !shell.IsCompletion(last) || last != word && !shell.IsCompletion(strings.ReplaceAll(c.typed[:list], ",", "")) {
			continue
		}
		c.offered[word] = true
		if _, err := io.WriteString(c.to, line); err != nil {
			return 0, err
		}
	}
	return len(data), nil
}

// completeLayers completes names of installed layers, completeDrivers names and paths of driver manifests, completeFound both.
func completeLayers(s *invocation) completion  { return completeInstalled(s, true, false) }
func completeDrivers(s *invocation) completion { return completeInstalled(s, false, true) }
func completeFound(s *invocation) completion   { return completeInstalled(s, true, true) }

// completeInstalled completes names of installed layers, of driver manifests, or of both.
func completeInstalled(s *invocation, layers, drivers bool) completion {
	files := term.Either(drivers, cobra.ShellCompDirectiveDefault, cobra.ShellCompDirectiveNoFileComp)
	return func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		source, err := s.source("", false)
		if err != nil {
			return nil, files
		}
		answer, err := explain.Decide(source)
		if err != nil {
			return nil, files
		}
		if layers {
			names = explain.LayerNames(answer.Layers)
		}
		if drivers {
			names = append(names, explain.DriverNames(answer.Drivers)...)
		}
		return slices.DeleteFunc(names, func(name string) bool { return !shell.IsCompletion(name) }), files // a tab would begin a description
	}
}

func completeManifests(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
}

func completeWords(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	return term.Words(validation.LogWords, func(word string) string { return before + word }),
		cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeDevices completes selectors of this machine's devices as programs see them. A child process lists them within a
// short time limit.
func completeDevices(s *invocation) completion {
	return func(_ *cobra.Command, _ []string, typed string) (list []string, _ cobra.ShellCompDirective) {
		m, err := s.machine()
		if err != nil || m.Foreign() {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found, err := probe.Find(s.executable, "")
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if seen, err := survey.ProbeDevices(found, machine.WithoutVariable(m.Environ, variables.Debug.Name()), 3*time.Second); err == nil {
			for _, c := range drivers.DeviceChoices(settings.Selectable(seen.Devices)) {
				if long := len(c[0]) == 32 && typed == ""; !long && strings.HasPrefix(c[0], strings.ToLower(typed)) {
					list = append(list, c[0]+"\t"+term.OneLine(c[1]))
				}
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// completePrograms completes programs in PATH for the first word, and files for all words.
func completePrograms(s *invocation) completion {
	return func(_ *cobra.Command, args []string, typed string) (list []string, _ cobra.ShellCompDirective) {
		if len(args) > 0 || strings.Contains(typed, "/") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		seen := map[string]bool{}
		for _, directory := range filepath.SplitList(s.getenv("PATH")) {
			entries, _ := os.ReadDir(directory)
			for _, e := range entries {
				if name := e.Name(); strings.HasPrefix(name, typed) && !e.IsDir() && !seen[name] {
					if info, err := os.Stat(filepath.Join(directory, name)); err == nil && info.Mode()&0o111 != 0 && !info.IsDir() {
						seen[name] = true
						list = append(list, name)
					}
				}
			}
		}
		slices.Sort(list)
		return list, cobra.ShellCompDirectiveDefault
	}
}

func completeVariables(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	variables.Each(func(v variables.ID) { names = append(names, v.Name()) })
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completesApp registers the completion of --app, which takes a program's path or its name in PATH.
func completesApp(s *invocation, cmd *cobra.Command) {
	complete := completePrograms(s)
	completes(cmd, map[string]completion{"app": func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return complete(cmd, nil, typed)
	}})
}

// completes registers completions for the flags of a command. It panics for an unknown flag.
func completes(cmd *cobra.Command, flags map[string]completion) {
	for name, f := range flags {
		if err := cmd.RegisterFlagCompletionFunc(name, f); err != nil {
			panic(err)
		}
	}
}
