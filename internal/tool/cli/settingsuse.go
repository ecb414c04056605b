package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

func newSettingsUse(s *invocation) *cobra.Command {
	c := &settings.Options{}
	cmd := newCommand("use [NAME]", &c.Target, 0, func(args []string) error {
		if len(args) == 0 {
			return listConfigurations(s)
		}
		c.Configuration = args[0]
		written, err := changeSettings(s, c)
		if err != nil {
			return err
		}
		printWritten(s, c, written)
		if !c.Dry && written.Layers != nil {
			fmt.Fprintf(s.out, "Wrote %s\n", written.Layers.File)
		}
		return nil
	})
	cmd.Args, cmd.ValidArgsFunction = cobra.MaximumNArgs(1), completeConfigurations(s)
	return cmd
}

func listConfigurations(s *invocation) error {
	place, err := s.settings()
	if err != nil {
		return err
	}
	list, err := place.Configurations()
	if err != nil {
		return err
	}
	if len(list) == 0 {
		fmt.Fprintln(s.out, "No configurations. To make one of the settings in force: vkloader settings save NAME")
		return nil
	}
	table := term.NewTable("configuration", "programs", "file")
	for _, c := range list {
		table.Row(c.Name, term.Or(c.Problem, strings.Join(c.UsedBy, ", ")), c.File)
	}
	table.Print(s.out, "", s.style)
	return nil
}

func newSettingsSave(s *invocation) *cobra.Command {
	saving := &settings.Saving{}
	cmd := newCommand("save NAME", saving, 0, func(args []string) error {
		place, err := s.settingsToChange(saving.Dry)
		if err != nil {
			return err
		}
		saving.Name = args[0]
		saved, err := place.Save(saving)
		if err != nil || saving.Dry {
			return err
		}
		fmt.Fprintf(s.out, "Wrote %s\n", saved.File)
		if saved.Removed != "" {
			fmt.Fprintf(s.out, "Removed %s\n", saved.Removed)
		}
		return nil
	})
	cmd.Args = cobra.ExactArgs(1)
	return cmd
}

func newSettingsForget(s *invocation) *cobra.Command {
	var o struct {
		Dry bool `option:"dry-run"`
	}
	cmd := newCommand("forget NAME", &o, 0, func(args []string) error {
		place, err := s.settingsToChange(o.Dry)
		if err == nil {
			err = place.Forget(args[0])
		}
		if err == nil && !o.Dry {
			fmt.Fprintf(s.out, "Removed the configuration %s\n", args[0])
		}
		return err
	})
	cmd.Args, cmd.ValidArgsFunction = cobra.ExactArgs(1), completeConfigurations(s)
	return cmd
}

func completeConfigurations(s *invocation) completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		var names []string
		if place, err := s.settings(); err == nil {
			list, _ := place.Configurations()
			names = term.Words(list, func(c *settings.Configuration) string { return c.Name })
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
}
