//go:build unix

package cli

import (
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// layerOptions are the options of settings layer.
type layerOptions struct {
	output
	directory      string
	empty          []string
	variables, dry bool
}

func newSettingsLayer(s *invocation) *cobra.Command {
	o := &layerOptions{}
	cmd := &cobra.Command{
		Use:   "layer LAYER [KEY=VALUE]...",
		Short: "Show and change the settings of a layer",
		Long: "layer shows and changes the settings that a layer's manifest describes. A name or value that the manifest does not\n" +
			"have is an error. Without KEY=VALUE, layer lists the settings. \"KEY=\" restores the default. --empty sets a list to empty\n" +
			"instead of its default.\n\n" +
			"Layers read one file, vk_layer_settings.txt: the first that exists in the user's data directory\n" +
			"(vulkan/settings.d), at the path in VK_LAYER_SETTINGS_PATH, or in the program's working directory. The command changes the file in force. If there is none,\n" +
			"it writes the user's file, which applies to all programs. --directory writes a file for\n" +
			"programs that start in that directory. --variables prints variables for a shell, and writes no file. The command\n" +
			"enables no layer.\n\n" + exitCodesHelp,
		Example: "  vkloader settings layer VK_LAYER_KHRONOS_validation\n" +
			"  vkloader settings layer VK_LAYER_KHRONOS_validation validate_sync=true\n" +
			"  vkloader settings layer VK_LAYER_KHRONOS_validation report_flags=error,warn --directory ~/src/game",
		Args: someArguments("settings layer needs the name of a layer"),
		ValidArgsFunction: func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
			if len(args) == 0 {
				return completeLayers(s)(cmd, args, typed)
			}
			return completeSettings(s, args[0]), cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
		},
		RunE: func(_ *cobra.Command, args []string) error { return setLayer(s, o, args[0], args[1:]) },
	}
	cmd.Flags().StringVar(&o.directory, "directory", "", "write the file for programs that start in this `DIRECTORY`")
	cmd.Flags().StringArrayVar(&o.empty, "empty", nil, "make the list `KEY` empty, whatever its default; may be repeated")
	cmd.Flags().BoolVar(&o.variables, "variables", false, "print variables for a shell, and write nothing")
	cmd.Flags().BoolVar(&o.dry, "dry-run", false, "print the file instead of writing it")
	o.option(cmd, layerSettingsSchema)
	if err := cmd.MarkFlagDirname("directory"); err != nil {
		panic(err)
	}
	return cmd
}

// completeSettings completes settings of a layer.
func completeSettings(s *invocation, name string) []string {
	source, err := s.source("", false)
	if err != nil {
		return nil
	}
	layer, _, err := findLayerSettings(source, name)
	if err != nil {
		return nil
	}
	return term.Words(layer.Settings, func(s settings.Setting) string { return s.Key + "=" })
}

// findLayerSettings finds an installed layer, used or not.
func findLayerSettings(source *machine.Source, name string) (*settings.Layer, *manifest.Layer, error) {
	answer, err := decide.Changed(explain.Without(source, variables.LayersEnable, variables.LayersDisable, variables.LayersAllow))
	if err != nil {
		return nil, nil, err
	}
	at := slices.IndexFunc(answer.Layers, func(l *manifest.Layer) bool { return l.Name == name })
	if at < 0 {
		if near := term.NearestName(name, explain.LayerNames(answer.Layers)); near != "" {
			return nil, nil, exit.Problem("no layer %s is installed; did you mean %s?", name, near)
		}
		return nil, nil, exit.Problem("no layer %s is installed: see vkloader list layers", name)
	}
	found := answer.Layers[at]
	text, err := source.Machine.ReadFile(found.Manifest)
	if err != nil {
		return nil, nil, exit.As(exit.NotLooked, err)
	}
	layer, err := settings.ReadLayer(text, name)
	if err != nil {
		return nil, nil, exit.Unable("%s: %w", found.Manifest, err)
	}
	return layer, found, nil
}

// layerEdit is a change of a setting to a value or its default.
type layerEdit struct {
	key, value string
	usual      bool // set the default
	setting    *settings.Setting
}

// edits returns the changes of a command line.
func (o *layerOptions) edits(layer *settings.Layer, changes []string) (list []layerEdit, err error) {
	add := func(e layerEdit) error {
		if e.setting = layer.Find(e.key); e.setting == nil {
			return layer.Unknown(e.key)
		}
		list = append(list, e)
		if e.usual {
			return nil
		}
		return e.setting.Check(e.value)
	}
	for _, change := range changes {
		key, value, given := strings.Cut(change, "=")
		if !given {
			return nil, fmt.Errorf("settings layer: %q is not KEY=VALUE", change)
		}
		if err := add(layerEdit{key: key, value: value, usual: value == "" && !o.variables}); err != nil {
			return nil, err
		}
	}
	for _, key := range o.empty {
		if err := add(layerEdit{key: key}); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// setLayer prints or changes the settings of a layer.
func setLayer(s *invocation, o *layerOptions, name string, changes []string) error {
	source, err := s.source("", false)
	if err != nil {
		return err
	}
	layer, found, err := findLayerSettings(source, name)
	if err != nil {
		return err
	}
	if len(layer.Settings) == 0 {
		return exit.Problem("%s names no settings in its manifest, %s", name, found.Manifest)
	}
	edits, err := o.edits(layer, changes)
	if err != nil {
		return err
	}
	answer := &settings.LayerSettings{Schema: layerSettingsSchema, Layer: name, Manifest: found.Manifest, Presets: layer.Presets}
	if o.variables {
		return printLayerVariables(s, o, edits, answer)
	}
	file, err := layerFile(&source.Machine, o)
	if err != nil {
		return err
	}
	for _, e := range edits {
		if e.usual {
			file.Unset(layer.Full(e.key))
		} else {
			file.Set(layer.Full(e.key), e.value)
		}
	}
	if o.dry && len(edits) > 0 {
		s.plan(file.File, file.Text(), file.Over())
		_, err := io.WriteString(term.Data(s.out), file.Text())
		return err
	}
	if len(edits) > 0 {
		if answer.Removed, err = file.Write(&source.Machine); err != nil {
			return notLooked(err)
		}
	}
	for _, setting := range layer.Settings {
		now := settings.SettingNow{Setting: setting}
		if v, ok := file.Find(layer.Full(setting.Key)); ok {
			now.Value, now.Line = v.Value, v.Line
		}
		answer.Settings = append(answer.Settings, now)
	}
	if len(file.Values()) > 0 || len(edits) > 0 {
		answer.File, answer.From = file.File, file.From
	}
	return o.print(s, answer, func() {
		if len(edits) == 0 {
			printLayerSettings(s, answer)
		} else {
			printLayerWritten(s, answer)
		}
	})
}

// printLayerWritten prints the written file and its readers.
func printLayerWritten(s *invocation, answer *settings.LayerSettings) {
	verb := "Wrote"
	if answer.Removed {
		verb = "No setting is left: the tool removed"
	}
	fmt.Fprintf(s.out, "%s %s\n", verb, term.OneLine(answer.File))
	switch {
	case answer.Removed:
	case answer.From == theDirectory || answer.From == settings.WorkingDirectory:
		fmt.Fprintf(s.out, "Programs that are started in %s read it.\n", term.OneLine(path.Dir(answer.File)))
	case answer.From == settings.LayerPathVariable:
		fmt.Fprintf(s.out, "Programs read it while %s names it.\n", settings.LayerPathVariable)
	default:
		fmt.Fprintln(s.out, "All programs of this user read it.")
	}
}

// theDirectory is the source of a file in the directory of --directory.
const theDirectory = "--directory"

// layerFile returns the file to change: that of --directory, the one in force, or the user's.
func layerFile(m *machine.Machine, o *layerOptions) (*settings.LayerFile, error) {
	places := settings.LayerPlaces(m, settings.ThisDirectory(m))
	if o.directory != "" {
		full := o.directory
		if !m.Foreign() {
			var err error
			if full, err = filepath.Abs(full); err != nil {
				return nil, err
			}
		}
		place := settings.LayerPlace{File: path.Join(full, settings.LayerFileName), From: theDirectory}
		for _, other := range places {
			if other.From != settings.WorkingDirectory && other.File != place.File && m.Exists(other.File) {
				return nil, exit.Problem("%s would be ignored: layers read %s instead", place.File, other.File)
			}
		}
		file, err := settings.OpenLayerFile(m, place)
		return file, notLooked(err)
	}
	file, err := settings.LayerFileInForce(m, places)
	if file == nil && err == nil {
		if len(places) == 0 {
			return nil, exit.Unable("no place for settings of layers: HOME is not set; --directory names one")
		}
		file, err = settings.OpenLayerFile(m, places[0])
	}
	return file, notLooked(err)
}

// printLayerVariables prints the variables that set settings.
func printLayerVariables(s *invocation, o *layerOptions, edits []layerEdit, answer *settings.LayerSettings) error {
	if len(edits) == 0 {
		return errors.New("settings layer: --variables needs KEY=VALUE")
	}
	answer.Settings = []settings.SettingNow{}
	for _, e := range edits {
		if e.setting.Variable == "" {
			return exit.Problem("%s reads no variable for %s: leave out --variables, and the file has it", answer.Layer, e.key)
		}
		answer.Variables = append(answer.Variables, settings.VariableLine{Name: e.setting.Variable, Value: e.value})
	}
	return o.print(s, answer, func() {
		for _, v := range answer.Variables {
			fmt.Fprintf(s.out, "export %s=%s\n", v.Name, term.Quoted(v.Value))
		}
	})
}

// printLayerSettings prints the settings of a layer.
func printLayerSettings(s *invocation, answer *settings.LayerSettings) {
	style := term.StyleFor(s.out, s.getenv)
	fmt.Fprintf(s.out, "%s\n", style.Heading(term.OneLine(answer.Layer)))
	if answer.File != "" {
		fmt.Fprintf(s.out, "  set in %s\n", term.OneLine(answer.File))
	}
	for _, now := range answer.Settings {
		value, from := term.Or(now.Default, "(empty)"), "default"
		if now.Line > 0 {
			value, from = term.Or(now.Value, "(empty)"), fmt.Sprintf("line %d", now.Line)
		}
		fmt.Fprintf(s.out, "\n  %s\n    %s, %s: %s\n", style.Heading(term.OneLine(now.Key)), strings.ToLower(term.OneLine(now.Type)), from, term.OneLine(value))
		if now.Label != "" {
			fmt.Fprintf(s.out, "    %s\n", term.OneLine(now.Label))
		}
		for _, value := range now.Values {
			fmt.Fprintf(s.out, "      %s\n", term.OneLine(value))
		}
	}
}
