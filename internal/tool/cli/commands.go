package cli

import "github.com/spf13/cobra"

// command is a command of the tool: its name, and what makes it.
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
		{topicOfVariables, func(*invocation) *cobra.Command { // its text is made when it is asked for
			return &cobra.Command{Use: topicOfVariables, Short: "Environment variables that the loader reads"}
		}},
	}, commandsOfSystem()...)
}

// commandsFor lists the commands that a command line needs. A line that begins with the name of a command needs that command
// alone, and "--version" needs none: the tool starts faster without the others. Every other line may need each of them.
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
