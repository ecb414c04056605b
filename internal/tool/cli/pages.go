package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"

	"vkloader/internal/tool/exit"
)

// newPages is the hidden command by which the build makes man pages and completions of the commands themselves.
func newPages(s *invocation) *cobra.Command {
	return &cobra.Command{
		Use: "pages DIRECTORY", Short: "Write man pages and completions", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := writePages(cmd.Root(), args[0]); err != nil {
				return exit.As(exit.NotLooked, err)
			}
			return nil
		},
	}
}

// writePages writes below a directory what "make install" copies: man/man1, man/man7, completions for the shells. The
// same commands give the same bytes.
func writePages(root *cobra.Command, directory string) error {
	root.DisableAutoGenTag = true
	root.InitDefaultHelpCmd()
	root.InitDefaultVersionFlag()
	var walk func(cmd *cobra.Command) error
	walk = func(cmd *cobra.Command) error {
		section := "1"
		switch {
		case cmd.IsAdditionalHelpTopicCommand():
			section = "7"
		case cmd.Hidden || !cmd.IsAvailableCommand() && cmd != root:
			return nil
		}
		name := strings.ReplaceAll(cmd.CommandPath(), " ", "-")
		cmd.Long = strings.ReplaceAll(cmd.Long, "*", `\*`) // it is read as Markdown
		var page bytes.Buffer
		epoch := time.Unix(0, 0).UTC()
		header := &doc.GenManHeader{Title: strings.ToUpper(name), Section: section, Date: &epoch, Source: "vkloader", Manual: "vkloader"}
		if err := doc.GenMan(cmd, header, &page); err != nil {
			return fmt.Errorf("man page of %s: %w", cmd.CommandPath(), err)
		}
		text := bytes.Replace(page.Bytes(), []byte(`"Jan 1970"`), []byte(`""`), 1)
		if section == "7" { // a topic is no command
			text = bytes.Replace(text, []byte(cmd.CommandPath()+" [flags]"), []byte(cmd.Parent().CommandPath()+" help "+cmd.Name()), 1)
		}
		if err := writePage(filepath.Join(directory, "man/man"+section, name+"."+section), text); err != nil {
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
