package cli

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// quarantined is the output of quarantine list.
type quarantined struct {
	Schema  int                      `json:"schema"`
	Entries []settings.QuarantineNow `json:"entries"`
}

func newQuarantine(s *invocation) *cobra.Command {
	cmd := &cobra.Command{
		Use:   "quarantine list|add|lift",
		Short: "Keep a driver or layer out of programs until it changes",
		Long: "A quarantine keeps a driver or layer out of one program or of all programs. It ends when the library\n" +
			"changes, because an update may have fixed it, or after its expiry time. vkloader writes it to\n" +
			"the loader settings file, which loaders up to 1.3.239 (Debian 12) ignore.\n\n" +
			"Loaders ignore expiry times. \"vkloader run\" and \"vkloader settings\" lift expired quarantines.\n" +
			quarantineAdders + "\n" +
			"Without a subcommand the command lists the quarantines.\n\n" + exitCodesHelp,
	}
	list := newQuarantineList(s)
	cmd.AddCommand(list, newQuarantineAdd(s), newQuarantineLift(s))
	showing(cmd, list)
	return cmd
}

// renewQuarantines lifts ended quarantines with a message. gone are settings files that have just been removed.
func renewQuarantines(s *invocation, m *machine.Machine, gone []string) error {
	found, err := settings.Look(&machine.Source{Machine: *m, AsUser: true})
	if err != nil {
		return err
	}
	ended, err := settings.RenewQuarantines(found, gone)
	for _, e := range ended {
		fmt.Fprintf(s.messages(), "vkloader: lifted the quarantine of %s for %s: %s\n", e.Name, forWhom(e.Program), e.Why)
	}
	if err != nil {
		fmt.Fprintf(s.messages(), "vkloader: quarantines stay as they are: %v\n", err)
	}
	return nil
}

func forWhom(program string) string { return term.Or(term.OneLine(program), "all programs") }

func newQuarantineList(s *invocation) *cobra.Command {
	var out output
	cmd := &cobra.Command{
		Use: "list", Short: "List quarantines: for which program, why, and until when", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			found, err := s.settings()
			if err != nil {
				return err
			}
			list, err := settings.ListQuarantines(found)
			if err != nil {
				return err
			}
			var ignored []string
			for i := range list {
				e := &list[i]
				if said := found.Ignored([]string{e.Program}, quarantineFields(&e.Quarantine)); e.InForce && len(said) > 0 {
					e.InForce, e.Ignored = false, said[0]
					ignored = append(ignored, said...)
				}
			}
			slices.Sort(ignored)
			return out.print(s, quarantined{quarantineSchema, list}, func() { printQuarantines(s, list, slices.Compact(ignored)) })
		},
	}
	out.option(cmd, quarantineSchema)
	return cmd
}

// printQuarantines prints quarantines, and the reasons for those without effect.
func printQuarantines(s *invocation, list []settings.QuarantineNow, ignored []string) {
	table := term.NewTable("", "name", "for", "until", "why")
	for _, e := range list {
		state := e.Kind
		if !e.InForce {
			state += ", not in force"
		}
		table.Row(state, e.Name, forWhom(e.Program), until(&e.Quarantine), e.Why)
	}
	table.PrintOr("Nothing is in quarantine.", s.out, "", s.style)
	for _, said := range ignored {
		s.style.Lines(s.out, "", nil, "It is "+said+".")
	}
}

func until(e *settings.Quarantine) string {
	return term.Either(e.Until.IsZero(), "its file changes", settings.Time(e.Until)+", or its file changes")
}

func newQuarantineAdd(s *invocation) *cobra.Command {
	var app, expires, why string
	cmd := &cobra.Command{
		Use: "add NAME", Short: "Keep a driver or layer out of a program, or of all programs",
		Long: "add keeps a layer, or the driver whose manifest has this file name, out of all programs, or with\n" +
			"--app out of one.\n\n" + exitCodesHelp,
		Example: "  vkloader settings quarantine add VK_LAYER_ACME_overlay --app " + exampleProgram + "\n  vkloader settings quarantine add old_icd.json --expires 7d",
		Args:    oneArgument("the name of a driver or layer"),
		RunE: func(_ *cobra.Command, args []string) error {
			length, err := settings.Length(expires)
			if err == nil {
				err = readsSettings(s, "settings quarantine add")
			}
			if err != nil {
				return err
			}
			_, err = addQuarantine(s, args[0], app, why, length)
			return err
		},
		ValidArgsFunction: completeFound(s),
	}
	addRights(cmd)
	cmd.Flags().StringVar(&app, "app", "", "keep it out of the program with the executable `EXE` only")
	cmd.Flags().StringVar(&expires, "expires", "never", "end the quarantine after this `TIME`, such as 8h or 30d, or \"never\"")
	cmd.Flags().StringVar(&why, "why", "", "the reason, a `TEXT` that \"settings quarantine list\" shows")
	return cmd
}

// quarantineFields returns the settings file's fields that exclude the component.
func quarantineFields(e *settings.Quarantine) []string {
	if e.Kind == "driver" {
		return []string{loaders.ArrayField, loaders.DriversField, loaders.ExclusiveField}
	}
	return []string{loaders.ArrayField, loaders.LayersField}
}

// readsSettings returns an error if the tool runs as administrator: the programs that it starts do too, and do not read the
// settings of a user. With --elevated=false it returns nil, because the settings are for other programs.
func readsSettings(s *invocation, what string) error {
	if !onWindows || s.asUser || !elevatedHere() {
		return nil
	}
	return exit.Unable("%s: nothing was written, because programs that run as administrator do not read the settings of a user "+
		"in HKEY_CURRENT_USER. %s", what, forOthers)
}

// forOthers is the advice for an elevated tool that should write settings of a user.
const forOthers = "For programs that do not, use a prompt without administrator rights, or settings quarantine add --elevated=false"

// addQuarantine adds a quarantine with a message.
func addQuarantine(s *invocation, name, program, why string, length time.Duration) (*settings.Quarantine, error) {
	found, err := s.settings()
	if err != nil {
		return nil, err
	}
	of := ""
	if apps, err := settings.RealApps(&found.Machine, []string{program}); err == nil && program != "" && len(apps) > 0 {
		of = apps[0]
	}
	before, err := outcomeFor(&found.Machine, of, nil)
	if err != nil {
		return nil, notLooked(err)
	}
	e, err := settings.AddQuarantine(found, name, program, why, length)
	if err != nil {
		return nil, err
	}
	if err := tellOutcome(s, &found.Machine, of, before, nil); err != nil {
		return nil, notLooked(err)
	}
	fmt.Fprintf(s.messages(), "vkloader: %s is in quarantine for %s until %s; written to %s\n", e.Name, term.Or(term.OneLine(e.Program), quarantinedFor), until(e), e.Settings)
	for _, said := range found.Ignored([]string{e.Program}, quarantineFields(e)) {
		fmt.Fprintf(s.messages(), "vkloader: warning: this is %s\n", said)
	}
	return e, nil
}

func newQuarantineLift(s *invocation) *cobra.Command {
	var lifting settings.Lifting
	cmd := &cobra.Command{
		Use: "lift [NAME]", Short: "Remove quarantines",
		Long: "lift removes quarantines by NAME: the name of a driver or layer, its manifest, or the program that\n" +
			"the quarantine is for.\n" +
			"With --app, lift removes quarantines for one program only. --all removes every quarantine.\n\n" + exitCodesHelp,
		Args: argumentCount(0, 1, "takes at most one name"),
		RunE: func(_ *cobra.Command, args []string) error {
			if lifting.All == (len(args) == 1) {
				return errors.New("settings quarantine lift needs the name of a driver or layer, or --all")
			}
			found, err := s.settings()
			if err != nil {
				return err
			}
			lifting.Name = strings.Join(args, "")
			lifted, err := found.Lift(lifting)
			for _, e := range lifted {
				fmt.Fprintf(s.out, "%s is back for %s\n", term.OneLine(e.Name), forWhom(e.Program))
			}
			return err
		},
		ValidArgsFunction: func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
			source, err := s.source("", false)
			if err == nil {
				if found, err := settings.Look(source); err == nil {
					list, _ := settings.ListQuarantines(found)
					names = term.Words(list, func(e settings.QuarantineNow) string { return e.Name })
				}
			}
			return names, cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&lifting.Program, "app", "", "remove only quarantines for the program with the executable `EXE`")
	cmd.Flags().BoolVar(&lifting.All, "all", false, "remove every quarantine")
	return cmd
}
