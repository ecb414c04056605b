package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
	"vkloader/spec"
)

// newHelp is cobra's help for commands and topics; of the id of a statement, it shows the statement.
func newHelp(s *invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "help [command | topic | ID]",
		Short: "Show help for a command, a topic or a statement",
		Long: "help describes a command. With the ID of a statement, such as LAY-173, it prints that statement of\n" +
			"the loader's specification; explain and validate name these IDs with --rules.",
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) == 1 {
				if statement, ok := spec.Find(args[0]); ok {
					printStatement(s.out, statement)
					return nil
				}
			}
			found, _, err := cmd.Root().Find(args)
			if err != nil || found == nil || found == cmd.Root() && len(args) > 0 {
				return exit.As(exit.Usage, fmt.Errorf("there is no command, topic or statement %q", strings.Join(args, " ")))
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

// fillTopic gives a topic of the help its text, when that is about to be shown.
func fillTopic(cmd *cobra.Command) {
	if cmd.Name() == topicOfVariables && cmd.IsAdditionalHelpTopicCommand() && cmd.Long == "" {
		cmd.Long = variablesHelp()
	}
}

// printHelp shows the help of a command in at most 80 columns.
func printHelp(s *invocation, cmd *cobra.Command) {
	fillTopic(cmd)
	width := helpWidth(s)
	fmt.Fprint(s.out, term.Reflow(term.Or(cmd.Long, cmd.Short), width))
	if cmd.Runnable() || cmd.HasSubCommands() {
		fmt.Fprint(s.out, "\n", usageText(cmd, width))
	}
}

// helpWidth is the terminal's width, 80 at most: longer lines are hard to read.
func helpWidth(s *invocation) int {
	const most, least = 80, 40
	if width := term.StyleFor(s.out, s.getenv).Width(); width > 0 {
		return min(max(width, least), most)
	}
	return most
}

// usageText is what comes after the description: how to call a command, its examples, subcommands and options.
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

// printStatement shows a statement as it is published, with the place where it stands.
func printStatement(out io.Writer, s spec.Statement) {
	fmt.Fprintf(out, "%s  %s (spec/%s)\n\n", s.ID, s.Subject, s.Page)
	for _, line := range strings.Split(s.Text, "\n") {
		if line != "" {
			line = "  " + line
		}
		fmt.Fprintln(out, line)
	}
}
