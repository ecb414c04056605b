package cli

import (
	"cmp"
	_ "embed"
	"os"
	"runtime"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/decide/drivers"
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

// describe gives a command its help and its examples. It is called only for a command whose help is printed. The values
// of the code are those of the command's annotations, the forms of a device, and the key of --find-culprit.
func describe(cmd *cobra.Command) {
	var fill func(text string) string
	fill = func(text string) string {
		return os.Expand(text, func(name string) string {
			switch name {
			case "device":
				return strings.TrimRight(drivers.DeviceHelp, "\n")
			case "key":
				return hangKey
			}
			return cmp.Or(cmd.Annotations[name], fill(helpSection("$"+name)))
		})
	}
	section := helpSection(strings.TrimPrefix(cmd.CommandPath(), "vkloader "))
	text, examples, _ := strings.Cut(section, "\n\n## examples\n")
	if text = fill(text); text != "" && !strings.Contains(text, "Exit codes: ") {
		text += "\n\n" + exitCodes
	}
	cmd.Long, cmd.Example = text, fill(examples)
}
