package cli

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/option"
	"vkloader/internal/tool/term"
	"vkloader/internal/tool/validation"
	"vkloader/spec"
)

// newGroup returns a command of which each subcommand does something, and which itself shows its help.
func newGroup(use string, below ...*cobra.Command) *cobra.Command {
	cmd := &cobra.Command{Use: use, Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error { return cmd.Help() }}
	cmd.AddCommand(below...)
	return cmd
}

// showing gives a command without a subcommand the effect and the options of its subcommand show.
func showing(cmd, show *cobra.Command) {
	cmd.Flags().AddFlagSet(show.Flags())
	cmd.RunE = func(*cobra.Command, []string) error { return show.RunE(show, nil) }
}

// usageError returns cobra's errors for numbers of arguments, and for names and values of options, in the tool's own
// words. It returns other errors as they are.
func usageError(s *invocation, cmd *cobra.Command, err error) error {
	if missing := (*pflag.NotExistError)(nil); errors.As(err, &missing) {
		if with := commandsWith(s, missing.GetSpecifiedName()); len(with) > 0 {
			return fmt.Errorf("%s has no option --%s; these have it: %s", cmd.CommandPath(),
				missing.GetSpecifiedName(), strings.Join(with, ", "))
		}
	}
	if app := cmd.Flag("app"); app != nil && app.Changed && len(cmd.Flags().Args()) > 0 && err != nil &&
		strings.HasPrefix(err.Error(), "unknown command") {
		return fmt.Errorf("--app takes one program: %s --app %s", cmd.CommandPath(), shell.Quoted(app.Value.String()))
	}
	if err != nil && strings.Contains(err.Error(), " arg(s), ") {
		_, arguments, _ := strings.Cut(cmd.Use, " ")
		few := len(cmd.Flags().Args()) == 0
		return fmt.Errorf("%s: %s %s", term.Either(few, "an argument is missing", "too many arguments"),
			cmd.CommandPath(), arguments)
	}
	if invalid := (*pflag.InvalidValueError)(nil); errors.As(err, &invalid) {
		why := invalid.Unwrap()
		if errors.As(why, new(*strconv.NumError)) {
			why = errors.New("it must be a number")
		}
		return fmt.Errorf("--%s %s: %w", invalid.GetFlag().Name, term.Or(invalid.GetValue(), `""`), why)
	}
	return err
}

// commandsWith lists the commands with an option.
func commandsWith(s *invocation, option string) (names []string) {
	var add func(*cobra.Command)
	add = func(cmd *cobra.Command) {
		if cmd.Flags().Lookup(option) != nil && !cmd.Hidden {
			names = append(names, cmd.CommandPath())
		}
		for _, below := range cmd.Commands() {
			add(below)
		}
	}
	for _, c := range everyCommand() {
		add(c.make(s))
	}
	slices.Sort(names)
	return names
}

// newCommand returns a command with options that takes no arguments. schema is the version of its answer as JSON; 0: it
// has none.
func newCommand(use string, options any, schema int, run func(args []string) error) *cobra.Command {
	cmd := &cobra.Command{Use: use, Args: cobra.NoArgs, Annotations: map[string]string{"schema": fmt.Sprint(schema)},
		RunE: func(_ *cobra.Command, args []string) error { return run(args) }}
	option.Add(cmd.Flags(), options)
	return cmd
}

// addRights adds the option with which a command is for programs with other rights than the tool. On other systems than
// Windows, explain alone decides for these.
func addRights(cmd *cobra.Command) {
	if onWindows {
		cmd.Flags().Bool("elevated", false, "")
	}
}

// setHelp makes cobra's help keep to the terminal's width, and to 80 columns, because longer lines are hard to read.
func setHelp(s *invocation, root *cobra.Command) {
	const most, least = 80, 40
	width := most
	if terminal := s.style.Width; terminal > 0 {
		width = min(max(terminal, least), most)
	}
	root.SetUsageTemplate(strings.NewReplacer("FlagUsages", fmt.Sprint("FlagUsagesWrapped ", width), "more information",
		"more").Replace(root.UsageTemplate()))
	// cobra's own command has the exit code 0 for an unknown one.
	root.SetHelpCommand(&cobra.Command{Use: "help [command]", Short: "Show help for a command, variable or finding",
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 1 && explainWord(s, args[0]) {
				return nil
			}
			found, rest, err := root.Find(args)
			if err == nil && len(rest) > 0 {
				err = fmt.Errorf("there is no command %q", strings.Join(args, " "))
			}
			if err == nil {
				found.InitDefaultHelpFlag()
				err = found.Help()
			}
			return err
		}})
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) {
		describe(root)
		fmt.Fprint(s.out, term.Reflow(cmp.Or(cmd.Long, cmd.Short), width), "\n", cmd.UsageString())
	})
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

// completion returns the possible next words for a shell.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completions passes the lines of completions on to a shell's script. It leaves out words that a shell would have to
// quote, and a second line of a word: of several lines, bash inserts the common beginning. The last line, a colon and a
// number, is cobra's.
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
		if c.offered[word] && word[0] != ':' || !shell.IsCompletion(last) || last != word &&
			!shell.IsCompletion(strings.ReplaceAll(c.typed[:list], ",", "")) {
			continue
		}
		c.offered[word] = true
		if _, err := io.WriteString(c.to, line); err != nil {
			return 0, err
		}
	}
	return len(data), nil
}

// completeInstalled completes names of installed layers, of driver manifests, or of both.
func completeInstalled(s *invocation, layers, drivers bool) completion {
	files := term.Either(drivers, cobra.ShellCompDirectiveDefault, cobra.ShellCompDirectiveNoFileComp)
	return func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		source, err := s.source("", false)
		var answer *plan.Answer
		if err == nil {
			answer, err = explain.Decide(source)
		}
		if err == nil && layers {
			names = explain.LayerNames(answer.Layers)
		}
		if err == nil && drivers {
			names = append(names, explain.DriverNames(answer.Drivers)...)
		}
		// a tab would begin a description
		return slices.DeleteFunc(names, func(name string) bool { return !shell.IsCompletion(name) }), files
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

// completePrograms completes programs in PATH for the first word, and files for all words.
func completePrograms(s *invocation) completion {
	return func(_ *cobra.Command, args []string, typed string) (list []string, _ cobra.ShellCompDirective) {
		if len(args) > 0 || strings.Contains(typed, "/") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		for _, directory := range filepath.SplitList(s.getenv("PATH")) {
			entries, _ := os.ReadDir(directory)
			for _, e := range entries {
				if !strings.HasPrefix(e.Name(), typed) {
					continue
				}
				info, err := os.Stat(filepath.Join(directory, e.Name()))
				if err == nil && info.Mode()&0o111 != 0 && !info.IsDir() {
					list = append(list, e.Name())
				}
			}
		}
		slices.Sort(list)
		return slices.Compact(list), cobra.ShellCompDirectiveDefault
	}
}

func completeVariables(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	variables.Each(func(v variables.ID) { names = append(names, v.Name()) })
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeOptions registers the completions of options for a command and those below it. An option has the same values
// in every command.
func completeOptions(s *invocation, cmd *cobra.Command) {
	programs := completePrograms(s)
	options := map[string]completion{"add-driver": completeManifests, "configuration": completeConfigurations(s),
		"driver": completeInstalled(s, false, true), "env": completeVariables,
		"layer": completeInstalled(s, true, false), "pid": completeProcesses,
		"app": func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
			return programs(cmd, nil, typed)
		},
		"registry": func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			return []string{"reg"}, cobra.ShellCompDirectiveFilterFileExt
		}}
	for _, name := range []string{"directory", "driver-root", "host", "root"} {
		options[name] = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
	}
	register := func(f *pflag.Flag) {
		complete := options[f.Name]
		if c, is := f.Value.(option.Choice); is {
			complete = cobra.FixedCompletions(c.Words, cobra.ShellCompDirectiveNoFileComp)
		}
		if complete != nil {
			_ = cmd.RegisterFlagCompletionFunc(f.Name, complete) // a command may share an option with its subcommand
		}
	}
	cmd.PersistentFlags().VisitAll(register)
	cmd.Flags().VisitAll(register)
	for _, below := range cmd.Commands() {
		completeOptions(s, below)
	}
}
