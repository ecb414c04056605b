package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/term"
)

const commandOfPages = "pages"

// newPages returns the hidden command with which the build generates man pages and completions.
func newPages(s *invocation) *cobra.Command {
	return &cobra.Command{
		Use: commandOfPages + " DIRECTORY", Args: cobra.ExactArgs(1),
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return examineError(writePages(cmd.Root(), args[0]))
		},
	}
}

// writePages writes the files that "make install" copies below a directory: man/man1, and shell completions. The
// output depends only on the commands.
func writePages(root *cobra.Command, directory string) error {
	root.InitDefaultHelpCmd()
	describe(root)
	root.InitDefaultVersionFlag()
	files := map[string]func(io.Writer) error{
		"bash-completion/completions/vkloader":    func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh/site-functions/_vkloader":            root.GenZshCompletion,
		"fish/vendor_completions.d/vkloader.fish": func(w io.Writer) error { return root.GenFishCompletion(w, true) },
	}
	var add func(*cobra.Command)
	add = func(cmd *cobra.Command) {
		if cmd.Hidden || !cmd.IsAvailableCommand() && cmd != root {
			return
		}
		cmd.InitDefaultHelpFlag()
		files["man/man1/"+pageName(cmd)+".1"] = func(w io.Writer) error { return writeManPage(w, cmd) }
		for _, sub := range cmd.Commands() {
			add(sub)
		}
	}
	add(root)
	for name, generate := range files {
		var text bytes.Buffer
		err := generate(&text)
		path := filepath.Join(directory, name)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(path), 0o755)
		}
		if err == nil {
			err = os.WriteFile(path, text.Bytes(), 0o644)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	return nil
}

// pageName returns the name of a command's man page: its words with dashes.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

// writeManPage writes the man page of a command: the sections of its help, with options in bold letters.
func writeManPage(w io.Writer, cmd *cobra.Command) error {
	const width = 72 // with the indentation, 80 columns are enough
	optionName := regexp.MustCompile(`(?m)^( {2,6}(?:\\-\w, )?)(\\-\\-[a-z\\-]+)`)
	var related []string
	if cmd.HasParent() {
		related = append(related, pageName(cmd.Parent())+"(1)")
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			related = append(related, pageName(c)+"(1)")
		}
	}
	name := roff(pageName(cmd))
	page := fmt.Sprintf(".nh\n.TH \"%s\" \"1\" \"\" \"vkloader\" \"vkloader\"\n.SH NAME\n%s \\- %s\n", strings.ToUpper(name), name,
		roff(cmd.Short))
	for _, part := range [][2]string{{"SYNOPSIS", cmd.UseLine()},
		{"DESCRIPTION", term.Reflow(term.Or(cmd.Long, cmd.Short), width)},
		{"OPTIONS", cmd.NonInheritedFlags().FlagUsagesWrapped(width)},
		{"OPTIONS OF EVERY COMMAND", cmd.InheritedFlags().FlagUsagesWrapped(width)}, {"EXAMPLES", cmd.Example},
		{"SEE ALSO", term.Reflow(strings.Join(related, ", "), width)}} {
		if text := roff(strings.Trim(part[1], "\n")); text != "" {
			text = optionName.ReplaceAllString(text, `${1}\fB${2}\fP`)
			page += fmt.Sprintf(".SH %s\n.nf\n%s\n.fi\n", part[0], text)
		}
	}
	_, err := io.WriteString(w, page)
	return err
}

// roff escapes a text, also a control character that begins a line. A minus sign stays one instead of a hyphen, because
// users copy options from man pages.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`, "\n.", "\n\\&.", "\n'", "\n\\&'").Replace("\n" + text)[1:]
}
