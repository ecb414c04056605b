package cli

import (
	"cmp"
	_ "embed"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vkloader/internal/tool/option"
	"vkloader/internal/tool/selector"
)

// helpTexts are the sections of help.txt. Its first lines describe its form.
//
//go:embed help.txt
var helpTexts string

// exitCodes ends the help of a command that has no exit codes of its own.
const exitCodes = "Exit codes: 0 fine or warnings only, 1 problems, 2 wrong usage, 3 the machine could not be examined."

// helpSection returns the text of a section for this system; "": there is none.
func helpSection(name string) string {
	for section := range strings.SplitSeq(helpTexts, "\n# ") {
		heading, text, _ := strings.Cut(section, "\n")
		is, systems, limited := strings.Cut(heading, " (")
		if is == name && (!limited || strings.Contains(systems, runtime.GOOS)) {
			return strings.TrimRight(text, "\n")
		}
	}
	return ""
}

// describe gives a command and those below it their help, their examples and the texts of their options. It is called
// only where help is printed. The values of the code are those of a command's annotations, the forms of a device, the
// key of --find-culprit, and the words of an option.
func describe(cmd *cobra.Command) {
	for _, below := range cmd.Commands() { // first, because a command may share options with its subcommand
		describe(below)
	}
	words := ""
	var fill func(text string) string
	fill = func(text string) string {
		return os.Expand(text, func(name string) string {
			switch name {
			case "$":
				return name
			case "device":
				return strings.TrimRight(selector.Help, "\n")
			case "forms":
				return selector.Forms
			case "key":
				return hangKey()
			case "words":
				return words
			}
			return cmp.Or(cmd.Annotations[name], fill(helpSection("$"+name)))
		})
	}
	section := helpSection(strings.TrimPrefix(cmd.CommandPath(), "vkloader "))
	section, examples, _ := strings.Cut(section, "\n\n## examples\n")
	section, options, _ := strings.Cut(section, "\n\n## options\n")
	short, text, _ := strings.Cut(section, "\n\n")
	if text = fill(text); text != "" && !strings.Contains(text, "Exit codes: ") {
		text += "\n\n" + exitCodes
	}
	cmd.Short, cmd.Long, cmd.Example = cmp.Or(cmd.Short, short), text, fill(examples)
	describeOption := func(f *pflag.Flag) {
		if choice, is := f.Value.(option.Choice); is {
			words = strings.Join(choice.Words, ", ")
		}
		for row := range strings.SplitSeq(options+"\n"+helpSection("options"), "\n") {
			if name, usage, _ := strings.Cut(row, ": "); name == f.Name && f.Usage == "" {
				f.Usage = fill(usage)
			}
		}
	}
	cmd.PersistentFlags().VisitAll(describeOption)
	cmd.Flags().VisitAll(describeOption)
}
