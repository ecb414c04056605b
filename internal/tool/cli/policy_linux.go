package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"vkloader/internal/core/settings"
	"vkloader/internal/tool/settingsfile"
)

func newPolicy(s *invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy hardware|service",
		Short: "Choose which drivers are opened: only for present hardware, or from the driver service",
		Args:  subcommandOnly("which policy", "hardware or service"),
		RunE:  func(*cobra.Command, []string) error { return nil },
	}
	cmd.AddCommand(newPolicyHardware(s), newPolicyService(s))
	return cmd
}

// policyHelp ends the help of every policy.
const policyHelp = "The policy is a part of the settings file: \"vkloader settings show\" has it, and --app, --system, --expires and --force\n" +
	"are those of \"vkloader settings set\". Other loaders ignore it.\n\n" + exitCodesHelp

// Words of the command line for the policies about hardware.
var hardwareWords = map[string]settings.Hardware{
	"off": settings.AnyHardware, "on": settings.PresentHardware, "awake": settings.AwakeHardware,
}

func newPolicyHardware(s *invocation) *cobra.Command {
	c := &settingsfile.Change{}
	cmd := &cobra.Command{
		Use:   "hardware on|awake|off",
		Short: "Open only drivers whose hardware is present, or present and awake",
		Long: "A driver for hardware that the machine does not have costs every program its loading, and asking a sleeping GPU\n" +
			"for its name wakes it. With \"on\" the loader does not open a driver of a known family of hardware when the kernel has\n" +
			"no device of that family; with \"awake\" also not when all of them sleep. \"off\" is how it is without a policy.\n\n" +
			"Software drivers and drivers of families that the loader does not know are always opened, and when no other driver is\n" +
			"left the policy does not hold. The devices are those of /sys/class/drm, and NVIDIA's device nodes. \"vkloader list\n" +
			"drivers\" and \"vkloader explain\" say which driver is left out, and why.\n\n" +
			policyHelp,
		Example:   "  vkloader policy hardware on\n  vkloader policy hardware awake --app /usr/bin/mpv",
		ValidArgs: []string{"on", "awake", "off"},
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(_ *cobra.Command, args []string) error {
			c.Hardware = hardwareWords[args[0]].String()
			return setPolicy(s, c)
		},
	}
	policyFlags(cmd, c)
	return cmd
}

func newPolicyService(s *invocation) *cobra.Command {
	c := &settingsfile.Change{}
	cmd := &cobra.Command{
		Use:   "service last|always|never",
		Short: "Choose when the loader asks the driver service: without other drivers, always, or never",
		Long: "Where the loader finds no driver it asks the driver service of the machine (\"vkloader serve\"), which is for containers\n" +
			"and sandboxes without drivers. With \"always\" it does so beside the drivers that it finds; a driver that is there as well,\n" +
			"by the name of its manifest or of its library, is used once. With \"never\" it does not. \"last\" is how it is without a\n" +
			"policy. A program that brings its own drivers, and variables and settings that name all of them, are not gone beyond.\n\n" +
			policyHelp,
		Example:   "  vkloader policy service always\n  vkloader policy service never --app /usr/bin/mpv",
		ValidArgs: []string{"last", "always", "never"},
		Args:      cobra.MatchAll(cobra.ExactArgs(1), cobra.OnlyValidArgs),
		RunE: func(_ *cobra.Command, args []string) error {
			c.Service = args[0]
			return setPolicy(s, c)
		},
	}
	policyFlags(cmd, c)
	return cmd
}

func policyFlags(cmd *cobra.Command, c *settingsfile.Change) {
	flags := cmd.Flags()
	flags.StringArrayVar(&c.Apps, "app", nil, "for this program only, whose executable is `EXE`; may be repeated")
	flags.StringVar(&c.Expires, "expires", "", "when the tool removes the file: after a `TIME` such as 90m, 8h or 7d, or \"never\"")
	flags.BoolVar(&c.System, "system", false, "write the file for all users")
	flags.BoolVar(&c.Force, "force", false, "also in place of another program's file")
	flags.BoolVar(&c.Dry, "dry-run", false, "print the file instead of writing it")
}

func setPolicy(s *invocation, c *settingsfile.Change) error {
	place, err := s.settings()
	if err != nil {
		return err
	}
	written, err := place.Set(c, nil) // it names no devices
	if err != nil {
		return err
	}
	if written.Alone {
		fmt.Fprintln(s.errOut, "vkloader: these programs get these settings only, and no longer those for all programs")
	}
	switch {
	case c.Dry:
		return writeJSON(s, written.Content)
	case written.Gone:
		fmt.Fprintf(s.out, "No policy is left in %s, and nothing else: there is no such file now\n", written.Path)
	default:
		fmt.Fprintf(s.out, "Wrote %s\n", written.Path)
	}
	return nil
}
