package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/exit"
	"vkloader/spec"
)

// newHelp is cobra's help for commands and topics; of the id of a statement, it shows the statement.
func newHelp(s *invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "help [command | topic | ID]",
		Short: "Show help for a command, a topic, or a statement of the specification",
		Long: "help shows what a command does; of an id such as LAY-173 (explain and validate name them), the statement of the\n" +
			"loader's specification.",
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
