package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"vkloader/internal/core/settings"
	"vkloader/internal/tool/layerorder"
	"vkloader/internal/tool/settingsfile"
	"vkloader/internal/tool/term"
)

func newPolicy(s *invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "policy hardware|service|compute",
		Short: "Show or choose which drivers and layers the loader opens",
		Long: "policy shows or sets what the loader does beyond the rules of every loader: whether it opens drivers of hardware that\n" +
			"is not present, when it asks the driver service, and which layers programs without a window get. Without a subcommand it shows the policies.\n\n" +
			policyHelp,
		Args: knownSubcommand,
		RunE: func(*cobra.Command, []string) error { return showPolicies(s, "hardware", "service", "compute") },
	}
	cmd.AddCommand(newPolicyHardware(s), newPolicyService(s), newPolicyCompute(s))
	return cmd
}

// policyHelp ends the help of every policy.
const policyHelp = "The policy is part of the settings file, which \"vkloader settings\" shows. --app, --system,\n" +
	"--expires and --force are as for \"vkloader settings set\". Other loaders ignore the policy.\n\n" + exitCodesHelp

// Words of the command line for the policies about hardware.
var hardwareWords = map[string]settings.Hardware{
	"off": settings.AnyHardware, "on": settings.PresentHardware, "awake": settings.AwakeHardware,
}

func newPolicyHardware(s *invocation) *cobra.Command {
	c := &settingsfile.Change{}
	cmd := &cobra.Command{
		Use:   "hardware on|awake|off",
		Short: "Open only drivers whose hardware is present, or awake",
		Long: "Every program pays for loading drivers of hardware that the machine does not have, and a driver that\n" +
			"looks for its device wakes a sleeping GPU.\n\n" +
			"on: the loader does not open a driver of a known hardware family when the kernel has no device of\n" +
			"that family. awake: also not when all devices of the family are asleep. off: no policy; this is the\n" +
			"default. Without an argument the command shows the policy.\n\n" +
			"Software drivers, and drivers of unknown families, are always opened. If no driver would be left,\n" +
			"the policy is ignored. Devices are those in /sys/class/drm, and NVIDIA's device nodes. \"vkloader\n" +
			"list drivers\" and \"vkloader explain\" show which drivers are left out.\n\n" + policyHelp,
		Example:   "  vkloader policy hardware on\n  vkloader policy hardware awake --app /usr/bin/mpv",
		ValidArgs: []string{"on", "awake", "off"},
		Args:      oneOf(true),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return showPolicies(s, "hardware")
			}
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
		Short: "Choose when the loader asks the driver service",
		Long: "The driver service (\"vkloader serve\") offers the drivers of the machine to containers and\n" +
			"sandboxes that have none.\n\n" +
			"last: the loader asks the service when it finds no driver; this is the default. always: it also asks\n" +
			"when it finds drivers. A driver that both have, by the name of its manifest or library, is used\n" +
			"once. never: it does not ask. Without an argument the command shows the policy.\n\n" +
			"The loader never asks the service when a program brings its own drivers, or when variables or\n" +
			"settings name all drivers to use.\n\n" + policyHelp,
		Example:   "  vkloader policy service always\n  vkloader policy service never --app /usr/bin/mpv",
		ValidArgs: []string{"last", "always", "never"},
		Args:      oneOf(true),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return showPolicies(s, "service")
			}
			c.Service = args[0]
			return setPolicy(s, c)
		},
	}
	policyFlags(cmd, c)
	return cmd
}

// Words of the command line for the policy about programs that show nothing.
var computeWords = map[string]settings.Compute{"off": settings.AllLayers, "on": settings.NoOverlays}

func newPolicyCompute(s *invocation) *cobra.Command {
	c := &settingsfile.Change{}
	cmd := &cobra.Command{
		Use:   "compute on|off",
		Short: "Keep overlay layers out of programs that show nothing",
		Long: "Overlays are implicit layers, which every program gets, also one that only computes. With \"on\" an instance that\n" +
			"enables no surface extension gets no overlay layers. \"off\" is the default.\n\n" +
			"An overlay is known by its name (MangoHud, vkBasalt, Steam's and Mesa's overlays and others), or because its manifest\n" +
			"offers extensions of presentation and nothing else. Layers that select devices, validate or record are no overlays.\n" +
			"A layer that the program, VK_INSTANCE_LAYERS, VK_LOADER_LAYERS_ENABLE or the settings name stays, and so does one\n" +
			"whose extension the program enables. Programs that run games (Wine, Steam, gamescope) get the same layers as before.\n" +
			"\"vkloader explain\" lists the layers that the policy leaves out.\n\n" +
			policyHelp,
		Example:   "  vkloader policy compute on\n  vkloader policy compute on --app /usr/bin/ollama",
		ValidArgs: []string{"on", "off"},
		Args:      oneOf(true),
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return showPolicies(s, "compute")
			}
			c.Compute = computeWords[args[0]].String()
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
	flags.BoolVar(&c.Force, "force", false, "also replace another program's file")
	flags.BoolVar(&c.Dry, "dry-run", false, "print the file instead of writing it")
}

// showPolicies shows the policies of these names: what holds for all programs, and for those that have settings of their own.
func showPolicies(s *invocation, names ...string) error {
	place, err := s.settings()
	if err != nil {
		return err
	}
	shown := place.Show("")
	table := term.NewTable("policy", "now", "choices", "for")
	for _, name := range names {
		choices := map[string]string{"hardware": "on, awake, off", "service": "last, always, never",
			"compute": "on, off"}[name]
		now := func(set *settingsfile.ForPrograms) string {
			switch {
			case name == "service":
				return term.Or(set.Service, settings.ServiceLast.String())
			case name == "compute" && set.Compute != "":
				return "on"
			case name == "compute":
				return "off"
			}
			for word, value := range hardwareWords {
				if value.String() == set.Hardware {
					return word
				}
			}
			return "off"
		}
		others := settingsfile.ForPrograms{}
		for _, set := range shown.Programs {
			if set.App == "" {
				others = set
				continue
			}
			table.Row(name, now(&set), choices, set.App)
		}
		table.Row(name, now(&others), choices, "all programs")
	}
	table.Print(s.out, "", term.StyleFor(s.out, s.getenv))
	return nil
}

func setPolicy(s *invocation, c *settingsfile.Change) error {
	place, err := s.settings()
	if err != nil {
		return err
	}
	c.Finish = layerorder.Renew
	written, err := place.Set(c, nil) // it names no devices
	if err != nil {
		return err
	}
	if written.Alone {
		fmt.Fprintln(s.errOut, "vkloader: these programs get these settings only, and no longer those for all programs")
	}
	switch {
	case c.Dry:
		s.plan(written.Path, written.Text, written.Gone)
		return writeJSON(s, written.Content)
	case written.Gone:
		fmt.Fprintf(s.out, "No policy is left in %s, and nothing else: there is no such file now\n", written.Path)
	default:
		fmt.Fprintf(s.out, "Wrote %s\n", written.Path)
		warnIgnored(s, c.Apps, written.Content)
	}
	return nil
}
