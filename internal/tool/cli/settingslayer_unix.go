//go:build unix

package cli

import (
	"errors"
	"fmt"
	"path"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// layerOptions are the options of settings layer.
type layerOptions struct {
	output
	settings.LayerChange
	Empty []string `option:"empty"`
}

func newSettingsLayer(s *invocation) *cobra.Command {
	o := &layerOptions{}
	cmd := newCommand("layer LAYER [KEY=VALUE]...", o, layerSettingsSchema,
		func(args []string) error { return setLayer(s, o, args[0], args[1:]) })
	cmd.Args = cobra.MinimumNArgs(1)
	cmd.ValidArgsFunction = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) == 0 {
			return completeInstalled(s, true, false)(cmd, args, typed)
		}
		return completeSettings(s, args[0]), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
	}
	return cmd
}

func completeSettings(s *invocation, name string) []string {
	source, err := s.source("", false)
	if err != nil {
		return nil
	}
	layer, _, err := settings.FindLayer(source, name)
	if err != nil {
		return nil
	}
	return term.Words(layer.Settings, func(s settings.Setting) string { return s.Key })
}

func (o *layerOptions) edits(changes []string) (list []settings.LayerEdit, err error) {
	for _, change := range changes {
		key, value, given := strings.Cut(change, "=")
		if !given {
			return nil, fmt.Errorf("settings layer: %q is not KEY=VALUE", change)
		}
		list = append(list, settings.LayerEdit{Key: key, Value: value, Default: value == "" && !o.Variables})
	}
	for _, key := range o.Empty {
		list = append(list, settings.LayerEdit{Key: key})
	}
	return list, nil
}

func setLayer(s *invocation, o *layerOptions, name string, changes []string) (err error) {
	c := &o.LayerChange
	c.Layer = name
	if c.Edits, err = o.edits(changes); err != nil {
		return err
	}
	if c.Variables && len(c.Edits) == 0 {
		return errors.New("settings layer: --variables needs KEY=VALUE")
	}
	place, err := s.settingsToChange(c.Dry)
	if err != nil {
		return err
	}
	answer, err := place.ChangeLayer(c)
	if err != nil || c.Dry && !c.Variables && len(c.Edits) > 0 {
		return err
	}
	answer.Schema = layerSettingsSchema
	return o.print(s, answer, func() {
		switch {
		case c.Variables:
			fmt.Fprint(s.out, answer.Exports())
		case len(c.Edits) == 0:
			printLayerSettings(s, answer)
		default:
			printLayerWritten(s, answer)
		}
	})
}

func printLayerWritten(s *invocation, answer *settings.LayerSettings) {
	verb := term.Either(answer.Removed, "No setting is left: the tool removed", "Wrote")
	fmt.Fprintf(s.out, "%s %s\n", verb, term.OneLine(answer.File))
	switch {
	case answer.Removed:
	case answer.From == settings.OptionConfiguration:
		name := strings.TrimSuffix(path.Base(answer.File), path.Ext(answer.File))
		fmt.Fprintf(s.out, "Programs get them with: vkloader settings use %s\n", shell.Quoted(name))
	case answer.From == settings.WorkingDirectory:
		fmt.Fprintf(s.out, "Programs that are started in %s read it.\n", term.OneLine(path.Dir(answer.File)))
	case answer.From == settings.LayerPathVariable:
		fmt.Fprintf(s.out, "Programs read it while %s names it.\n", settings.LayerPathVariable)
	default:
		fmt.Fprintln(s.out, "All programs of this user read it.")
	}
}

func printLayerSettings(s *invocation, answer *settings.LayerSettings) {
	fmt.Fprintf(s.out, "%s\n", s.style.Heading(term.OneLine(answer.Layer)))
	s.text("  set in ", answer.File)
	for _, now := range answer.Settings {
		value, from := term.Or(now.Default, "(empty)"), "default"
		if now.Line > 0 {
			value, from = term.Or(now.Value, "(empty)"), fmt.Sprintf("line %d", now.Line)
		}
		fmt.Fprintf(s.out, "\n  %s\n    %s, %s: %s\n", s.style.Heading(term.OneLine(now.Key)),
			strings.ToLower(term.OneLine(now.Type)), from, term.OneLine(value))
		s.text("    ", now.Label)
		for _, value := range now.Values {
			fmt.Fprintf(s.out, "      %s\n", term.OneLine(value))
		}
	}
}
