//go:build unix

package cli

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// ordered is the output of settings order.
type ordered struct {
	Schema  int                     `json:"schema"`
	Rules   []settings.RuleNow      `json:"rules"`             // all rules, for the list
	Removed []settings.OrderRule    `json:"removed,omitempty"` // by remove
	File    string                  `json:"file,omitempty"`    // the file that was written, or would be
	Before  []settings.OrderedLayer `json:"before,omitempty"`  // the layers from the program down
	After   []settings.OrderedLayer `json:"after,omitempty"`   // the same after the change
}

// orderOptions are the options of every command that changes the order.
type orderOptions struct {
	output
	program     string
	system, dry bool
}

func (o *orderOptions) add(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVar(&o.program, "app", "", "only for the program with the executable `EXE`")
	flags.StringVar(&o.program, "program", "", "the older name of --app")
	_ = flags.MarkHidden("program") // the flag exists
	flags.BoolVar(&o.system, "system", false, "write the file for all users")
	flags.BoolVar(&o.dry, "dry-run", false, "show the order, and write nothing")
	o.option(cmd, orderSchema)
}

// look finds the settings files and resolves the program's path.
func (o *orderOptions) look(s *invocation) (*settings.FileSet, error) {
	found, err := s.settings()
	if err == nil {
		o.program, err = settings.RealApp(&found.Machine, o.program)
	}
	return found, err
}

// change changes the rules and prints the order before and after.
func (o *orderOptions) change(s *invocation, make func(*settings.FileSet) (*settings.OrderOutcome, error)) error {
	found, err := o.look(s)
	if err != nil {
		return err
	}
	done, err := make(found)
	if err != nil {
		return err
	}
	answer := ordered{Schema: orderSchema, Rules: []settings.RuleNow{}, Removed: done.Removed, File: done.File, Before: done.Before, After: done.After}
	return o.print(s, answer, func() { printReordered(s, &answer, o.dry) })
}

func newSettingsOrder(s *invocation) *cobra.Command {
	o := &orderOptions{}
	cmd := &cobra.Command{
		Use:   "order [LAYER before|after LAYER]",
		Short: "Keep one layer before another; without arguments, list the rules",
		Long: "Implicit layers are in the order in which the file system lists their manifests. This order is\n" +
			"arbitrary. A rule puts one layer before or after another, for all programs or for one. A layer that\n" +
			"is before another is nearer to the program.\n\n" +
			"The command writes a list of layers into the settings file. The list changes only the order:\n" +
			"every layer stays on, off or available as before. The command compares the layers of programs with and without\n" +
			"the list, shows both orders, and writes the list only if the layers are the same. Layers\n" +
			"that are installed later take their usual place until \"vkloader settings order apply\"\n" +
			"writes the list again; \"vkloader settings show\" and \"vkloader doctor\" report such a list. While a rule exists, explicit layers also follow the list, not the order of the\n" +
			"program or of VK_INSTANCE_LAYERS.\n\n" + exitCodesHelp,
		Example: "  vkloader settings order VK_LAYER_KHRONOS_validation before VK_LAYER_MANGOHUD_overlay\n" +
			"  vkloader settings order VK_LAYER_MESA_overlay after VK_LAYER_VKBASALT_post_processing --app /opt/game/game\n" +
			"  vkloader settings order remove VK_LAYER_MESA_overlay",
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 || len(args) == 3 && (args[1] == "before" || args[1] == "after") {
				return nil
			}
			return fmt.Errorf("settings order: LAYER before LAYER, LAYER after LAYER, list, remove or apply")
		},
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			switch len(args) {
			case 0, 2:
				return completeLayers(s)(cmd, args, typed)
			case 1:
				return []string{"before", "after"}, cobra.ShellCompDirectiveNoFileComp
			}
			return nil, cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return o.list(s)
			}
			return o.change(s, func(found *settings.FileSet) (*settings.OrderOutcome, error) {
				rule := settings.OrderRule{Upper: args[0], Lower: args[2], Program: o.program}
				if args[1] == "after" {
					rule.Upper, rule.Lower = rule.Lower, rule.Upper
				}
				if rule.Upper == rule.Lower {
					return nil, errors.New("settings order: the two layers are the same")
				}
				return settings.AddRule(found, rule, o.system, o.dry)
			})
		},
	}
	o.add(cmd)
	cmd.AddCommand(newOrderList(s), newOrderRemove(s), newOrderApply(s))
	return cmd
}

func newOrderList(s *invocation) *cobra.Command {
	o := &orderOptions{}
	cmd := &cobra.Command{
		Use: "list", Short: "List the rules about the order of layers", Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return o.list(s) },
	}
	o.option(cmd, orderSchema)
	return cmd
}

func newOrderRemove(s *invocation) *cobra.Command {
	o := &orderOptions{}
	cmd := &cobra.Command{
		Use:   "remove LAYER [LAYER]",
		Short: "Remove the rules that name this layer, or these two",
		Long: "remove removes the rules that name the layer, or both layers: the rules for all programs, or with\n" +
			"--app the rules for one. It then writes the list of layers in the settings file without these rules.\n\n" + exitCodesHelp,
		Args:              argumentCount(1, 2, "needs one or two layers"),
		ValidArgsFunction: completeLayers(s),
		RunE: func(_ *cobra.Command, args []string) error {
			return o.change(s, func(found *settings.FileSet) (*settings.OrderOutcome, error) {
				return settings.RemoveRules(found, o.system, o.dry, o.program, func(r settings.OrderRule) bool {
					other := slices.ContainsFunc(args, func(name string) bool { return r.Upper != name && r.Lower != name })
					return !other && r.Program == o.program
				})
			})
		},
	}
	o.add(cmd)
	return cmd
}

func newOrderApply(s *invocation) *cobra.Command {
	o := &orderOptions{}
	cmd := &cobra.Command{
		Use: "apply", Short: "Write the rules again, for the layers that are installed now", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			return o.change(s, func(found *settings.FileSet) (*settings.OrderOutcome, error) {
				return settings.ApplyRules(found, o.system)
			})
		},
	}
	cmd.Flags().BoolVar(&o.system, "system", false, "write the file for all users")
	o.option(cmd, orderSchema)
	return cmd
}

// list lists the rules.
func (o *orderOptions) list(s *invocation) error {
	found, err := o.look(s)
	if err != nil {
		return err
	}
	rules, err := settings.ListRules(found)
	if err != nil {
		return err
	}
	return o.print(s, ordered{Schema: orderSchema, Rules: rules}, func() {
		if len(rules) == 0 {
			fmt.Fprintln(s.out, "There are no rules about the order of layers.")
		} else {
			printOrder(s, rules)
		}
	})
}

// printReordered prints the order before and after a change; dry: the change was not made.
func printReordered(s *invocation, done *ordered, dry bool) {
	list := func(title string, layers []settings.OrderedLayer) {
		fmt.Fprintf(s.out, "%s\n", title)
		for i, l := range layers {
			use := term.Either(!l.Active, "  (only if the program enables it)", "")
			fmt.Fprintf(s.out, "  %2d %s%s\n", i+1, l.Name, use)
		}
	}
	for _, r := range done.Removed {
		fmt.Fprintf(s.out, "Removed: %s before %s\n", r.Upper, r.Lower)
	}
	list("Before, from the program down", done.Before)
	list("After", done.After)
	verb := term.Either(dry, "Would write", "Wrote")
	fmt.Fprintf(s.out, "%s %s\n", verb, done.File)
}
