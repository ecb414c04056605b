package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"vkloader/internal/tool/cdi"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/term"
)

func newCDIRefresh(s *invocation) *cobra.Command {
	var (
		directories []string
		remove      bool
	)
	cmd := &cobra.Command{
		Use:   "refresh",
		Short: "Update this tool's CDI files after a driver has changed",
		Long: "refresh looks for the files that \"vkloader cdi generate\" has written, in the directories that\n" +
			"container runtimes read. It makes each again by the options that the file was written with, and\n" +
			"writes it if something has changed. It never writes a file that is not there.\n\n" +
			"If no driver is left, the file stays, and containers start without drivers. Packages run this\n" +
			"command when a driver or a library is installed, upgraded or removed; the systemd unit\n" +
			"vkloader-cdi.path does so for other changes. With --remove, the files are removed.\n\n" + exitCodesHelp,
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			m, err := s.machine()
			if err != nil {
				return err
			}
			var wrong []error
			for _, directory := range directories {
				wrong = append(wrong, refreshIn(s, &m, directory, remove)...)
			}
			return notLooked(errors.Join(wrong...))
		},
	}
	cmd.Flags().StringArrayVar(&directories, "directory", cdi.Directories, "look in this `DIRECTORY` instead; may be repeated")
	cmd.Flags().BoolVar(&remove, "remove", false, "remove the files, before the tool is removed")
	return cmd
}

// refreshIn refreshes the files of a directory.
func refreshIn(s *invocation, m *machine.Machine, directory string, remove bool) (wrong []error) {
	entries, err := m.ReadDir(directory)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return []error{err}
	}
	for _, e := range entries {
		name := path.Join(directory, e.Name())
		if ext := path.Ext(name); ext != ".json" && ext != ".yaml" {
			continue
		}
		if err := refreshFile(s, m, name, remove); err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", name, err))
		}
	}
	return wrong
}

// refreshFile refreshes one file; one of another tool stays as it is.
func refreshFile(s *invocation, m *machine.Machine, name string, remove bool) error {
	text, err := m.ReadFile(name)
	if err != nil {
		return err
	}
	spec, err := cdi.Parse(text)
	if err != nil {
		return nil // of another tool, or damaged: list shows it
	}
	words := cdi.Given(spec)
	if words == nil {
		return nil
	}
	place, err := m.PlaceOf(name, false)
	if err != nil {
		return err
	}
	defer place.Close()
	if remove {
		fmt.Fprintf(s.out, "%s: removed\n", term.OneLine(name))
		return place.Remove()
	}
	var g generation
	set := pflag.NewFlagSet("generate", pflag.ContinueOnError)
	g.flags(set)
	if err := set.Parse(words); err != nil {
		return fmt.Errorf("it was written with options that this version does not know: %w", err)
	}
	g.options.Again = true
	made, left, err := g.made(s, set)
	if err != nil {
		return err
	}
	again, err := writerOf("", name)(made)
	if err != nil {
		return err
	}
	if bytes.Equal(again, text) {
		fmt.Fprintf(s.out, "%s: nothing has changed\n", term.OneLine(name))
		return nil
	}
	tellLeftOut(s, left)
	if cdi.Empty(made) {
		fmt.Fprintf(s.errOut, "vkloader: %s: no driver is left: containers start without drivers\n", term.OneLine(name))
	}
	fmt.Fprintf(s.out, "%s: written again\n", term.OneLine(name))
	return place.Replace("", again, 0o644)
}
