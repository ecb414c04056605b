package cli

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"

	core "vkloader/internal/core/settings"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

func newPolicy(s *invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy hardware|service",
		Short: "Show or choose which drivers and layers the loader opens",
		Long: "policy shows or sets two policies of this loader: whether it opens drivers of absent\n" +
			"hardware, and when it asks the driver service. Without a subcommand it shows the policies.\n\n" +
			policyHelp,
		Args: knownSubcommand,
		RunE: func(*cobra.Command, []string) error { return showPolicies(s, policies) },
	}
	for i := range policies {
		cmd.AddCommand(newPolicyOf(s, &policies[i]))
	}
	return cmd
}

// policyHelp is the end of the help of every policy.
const policyHelp = "The policy is part of the settings file, which \"vkloader settings\" shows. --app, --system,\n" +
	"--expires and --force are as for \"vkloader settings set\". Other loaders ignore the policy.\n\n" + exitCodesHelp

// policy is a policy. Its words on the command line correspond to values in the settings file.
type policy struct {
	name, short, long, example string
	words, values              []string
	initial                    string // the default word
	of                         func(*settings.ForPrograms) string
	in                         func(*settings.Options) *string
}

var policies = []policy{
	{name: "hardware", short: "Open only drivers whose hardware is present, or awake",
		long: "Drivers of absent hardware slow down the start of every program,\n" +
			"and a driver that searches for its device wakes a sleeping GPU.\n\n" +
			"on: the loader does not open a driver of a known hardware family when the kernel has no device of\n" +
			"that family. awake: the loader also does not open a driver while all devices of its family are\n" +
			"asleep. off: no policy; this is the default. Without an argument the command shows the policy.\n\n" +
			"Software drivers, and drivers of unknown families, are always opened. If the policy would exclude every driver, the loader ignores it. The\n" +
			"loader finds devices in /sys/class/drm and by NVIDIA's device nodes. \"vkloader\n" +
			"list drivers\" and \"vkloader explain\" show which drivers are left out.\n\n",
		example: "  vkloader settings policy hardware on\n  vkloader settings policy hardware awake --app /usr/bin/mpv",
		words:   []string{"on", "awake", "off"}, initial: "off",
		values: []string{core.PresentHardware.String(), core.AwakeHardware.String(), core.AnyHardware.String()},
		of:     func(set *settings.ForPrograms) string { return set.Hardware },
		in:     func(c *settings.Options) *string { return &c.Hardware }},
	{name: "service", short: "Choose when the loader asks the driver service",
		long: "The driver service (\"vkloader service run\") offers the drivers of the machine to containers and\n" +
			"sandboxes that have none.\n\n" +
			"last: the loader asks the service when it finds no driver; this is the default. always: it also asks\n" +
			"when it finds drivers. If the machine and the service have the same driver (same manifest or library\n" +
			"name), the loader uses the machine's. never: it does not ask. Without an argument the command shows\n" +
			"the policy.\n\n" +
			"The loader never asks the service when a program brings its own drivers, or when variables or\n" +
			"settings name all drivers to use.\n\n",
		example: "  vkloader settings policy service always\n  vkloader settings policy service never --app /usr/bin/mpv",
		words:   []string{"last", "always", "never"}, initial: "last",
		values: []string{"last", "always", "never"},
		of:     func(set *settings.ForPrograms) string { return set.Service },
		in:     func(c *settings.Options) *string { return &c.Service }},
}

func newPolicyOf(s *invocation, p *policy) *cobra.Command {
	c := &settings.Options{}
	cmd := &cobra.Command{
		Use:       p.name + " " + strings.Join(p.words, "|"),
		Short:     p.short,
		Long:      p.long + policyHelp,
		Example:   p.example,
		ValidArgs: p.words,
		Args:      oneOf(true),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return showPolicies(s, []policy{*p})
			}
			*p.in(c) = p.values[slices.Index(p.words, args[0])]
			written, err := changeSettings(s, c)
			if err == nil {
				err = printWritten(s, c, written)
			}
			return err
		},
	}
	changeFlags(s, cmd, c)
	return cmd
}

// showPolicies prints policies: the values for all programs, and for programs with their own settings.
func showPolicies(s *invocation, list []policy) error {
	place, err := s.settings()
	if err != nil {
		return err
	}
	shown := place.Show("")
	table := term.NewTable("policy", "value", "choices", "programs")
	for _, p := range list {
		choices := strings.Join(p.words, ", ")
		now := func(set *settings.ForPrograms) string {
			if at := slices.Index(p.values, p.of(set)); at >= 0 {
				return p.words[at]
			}
			return p.initial
		}
		others := settings.ForPrograms{}
		for _, set := range shown.Programs {
			if set.App == "" {
				others = set
				continue
			}
			table.Row(p.name, now(&set), choices, set.App)
		}
		table.Row(p.name, now(&others), choices, "all programs")
	}
	table.Print(s.out, "", s.style)
	return nil
}
