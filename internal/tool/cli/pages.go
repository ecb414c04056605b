package cli

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
)

const commandOfPages = "pages"

// newPages returns the hidden command with which the build generates man pages and completions.
func newPages(s *invocation) *cobra.Command {
	return &cobra.Command{
		Use: commandOfPages + " DIRECTORY", Short: "Write man pages and completions", Args: cobra.ExactArgs(1), Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			return notLooked(writePages(cmd.Root(), args[0]))
		},
	}
}

// writePages writes the files that "make install" copies below a directory: man/man1, man/man7, and shell completions. The
// output depends only on the commands.
func writePages(root *cobra.Command, directory string) error {
	root.InitDefaultHelpCmd()
	root.InitDefaultVersionFlag()
	var walk func(cmd *cobra.Command) error
	walk = func(cmd *cobra.Command) error {
		topic := cmd.IsAdditionalHelpTopicCommand()
		if !topic && (cmd.Hidden || !cmd.IsAvailableCommand() && cmd != root) {
			return nil
		}
		cmd.InitDefaultHelpFlag()
		fillTopic(cmd)
		section := pageSection(cmd)
		if err := writePage(filepath.Join(directory, "man/man"+section, pageName(cmd)+"."+section), manPage(cmd)); err != nil {
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
