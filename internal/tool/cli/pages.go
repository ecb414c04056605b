package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

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
	var walk func(cmd *cobra.Command) error
	walk = func(cmd *cobra.Command) error {
		if cmd.Hidden || !cmd.IsAvailableCommand() && cmd != root {
			return nil
		}
		cmd.InitDefaultHelpFlag()
		if err := writePage(filepath.Join(directory, "man/man1", pageName(cmd)+".1"), manPage(cmd)); err != nil {
			return err
		}
		for _, sub := range cmd.Commands() {
			if err := walk(sub); err != nil {
				return err
			}
		}
		return nil
	}
	if err := walk(root); err != nil {
		return err
	}
	for name, generate := range map[string]func(io.Writer) error{
		"bash-completion/completions/vkloader": func(w io.Writer) error { return root.GenBashCompletionV2(w, true) },
		"zsh/site-functions/_vkloader":         root.GenZshCompletion,
		"fish/vendor_completions.d/vkloader.fish": func(w io.Writer) error {
			return root.GenFishCompletion(w, true)
		},
	} {
		var text bytes.Buffer
		if err := generate(&text); err != nil {
			return fmt.Errorf("completion %s: %w", name, err)
		}
		if err := writePage(filepath.Join(directory, name), text.Bytes()); err != nil {
			return err
		}
	}
	return nil
}

func writePage(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// pageName returns the name of a command's man page: its words with dashes.
func pageName(cmd *cobra.Command) string { return strings.ReplaceAll(cmd.CommandPath(), " ", "-") }

func manPage(cmd *cobra.Command) []byte {
	p := manualPage{}
	p.line(`.nh`)
	p.line(`.TH "%s" "1" "" "vkloader" "vkloader"`, strings.ToUpper(roff(pageName(cmd))))
	p.heading("NAME")
	p.text(roff(pageName(cmd)) + ` \- ` + roff(cmd.Short))
	p.heading("SYNOPSIS")
	p.text(`\fB` + roff(cmd.UseLine()) + `\fP`)
	p.heading("DESCRIPTION")
	p.paragraphs(term.Or(cmd.Long, cmd.Short))
	p.flags("OPTIONS", cmd.NonInheritedFlags())
	p.flags("OPTIONS OF EVERY COMMAND", cmd.InheritedFlags())
	if cmd.Example != "" {
		p.heading("EXAMPLES")
		p.lines(strings.Split(strings.Trim(cmd.Example, "\n"), "\n"))
	}
	p.seeAlso(cmd)
	return []byte(p.String())
}

// manualPage is a man page under construction.
type manualPage struct{ strings.Builder }

func (p *manualPage) line(format string, args ...any) { fmt.Fprintf(&p.Builder, format+"\n", args...) }

func (p *manualPage) heading(name string) { p.line(".SH %s", name) }

// text writes a line of text and escapes a leading control character.
func (p *manualPage) text(line string) {
	if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
		line = `\&` + line
	}
	p.line("%s", line)
}

func (p *manualPage) paragraphs(text string) {
	for i, part := range term.Paragraphs(text) {
		if i > 0 {
			p.line(".PP")
		}
		if part.Fixed {
			p.lines(part.Lines)
			continue
		}
		for _, line := range part.Lines {
			p.text(roff(line))
		}
	}
}

// lines writes lines without filling.
func (p *manualPage) lines(lines []string) {
	p.line(".nf")
	for _, line := range lines {
		p.text(roff(line))
	}
	p.line(".fi")
}

func (p *manualPage) flags(title string, set *pflag.FlagSet) {
	if !set.HasAvailableFlags() {
		return
	}
	p.heading(title)
	set.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		value, usage := pflag.UnquoteUsage(f)
		option := `\fB` + roff("--"+f.Name) + `\fP`
		if f.Shorthand != "" {
			option = `\fB` + roff("-"+f.Shorthand) + `\fP, ` + option
		}
		if value != "" {
			option += ` \fI` + roff(value) + `\fP`
		}
		if f.DefValue != "" && f.DefValue != "false" && f.DefValue != "[]" && f.DefValue != "0" {
			usage += " (default " + f.DefValue + ")"
		}
		p.line(".TP")
		p.text(option)
		p.text(roff(usage))
	})
}

func (p *manualPage) seeAlso(cmd *cobra.Command) {
	var pages []string
	add := func(c *cobra.Command) {
		pages = append(pages, `\fB`+roff(pageName(c))+`\fP(1)`)
	}
	if cmd.HasParent() {
		add(cmd.Parent())
	}
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			add(c)
		}
	}
	if len(pages) > 0 {
		p.heading("SEE ALSO")
		p.text(strings.Join(pages, ", "))
	}
}

// roff escapes a text. A minus sign stays one instead of a hyphen, because users copy options from man pages.
func roff(text string) string {
	return strings.NewReplacer(`\`, `\e`, "-", `\-`).Replace(text)
}
