package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	specs "tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/containers/cdi"
	"vkloader/internal/containers/offer"
	"vkloader/internal/core/facts"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/option"
	"vkloader/internal/tool/term"
)

func newCDI(s *invocation) *cobra.Command {
	return newGroup("cdi generate|refresh|verify|why|check|list", newCDIGenerate(s), newCDIRefresh(s),
		newCDIVerify(s), newCDIWhy(s), newCDIList(s), newOCI(s), newCDIHook(s))
}

// generateCDI returns the file for options, and the excluded drivers.
func generateCDI(s *invocation, options cdi.Options) (*specs.Spec, []cdi.LeftOut, error) {
	for _, name := range options.Machines {
		if _, known := offer.Machine(name); !known {
			return nil, nil, fmt.Errorf("--machine needs one of %s, got %q", strings.Join(offer.Machines(), ", "), name)
		}
	}
	if root := &options.DriverRoot; *root != "" {
		if !path.IsAbs(*root) {
			return nil, nil, fmt.Errorf("%q is not an absolute path", *root)
		}
		*root = strings.TrimSuffix(path.Clean(*root), "/")
	}
	options.Given = option.Words(&options)
	options.Hook = term.Or(options.Hook, s.executable)
	if len(options.Machines) == 0 {
		options.Machines = []string{ownMachine()}
	}
	source, err := s.source("", false)
	if err != nil {
		return nil, nil, err
	}
	return cdi.Generate(source, options)
}

func newCDIGenerate(s *invocation) *cobra.Command {
	var o struct {
		cdi.Options
		File  string `option:"output,o"`
		Force bool   `option:"force"`
	}
	cmd := newCommand("generate", &o, 0, func([]string) error {
		if err := replaceable(o.File); err != nil && (!o.Force || errors.Is(err, machine.ErrLink)) {
			return err
		}
		spec, left, err := generateCDI(s, o.Options)
		if err != nil {
			return err
		}
		tellLeftOut(s, left)
		if cdi.Empty(spec) {
			return exit.Problem("this machine has no driver for the file: see vkloader list drivers")
		}
		text, err := encode(spec, o.File)
		if err != nil {
			return err
		}
		if o.File == "" {
			_, err = term.Data(s.out).Write(text)
		} else {
			err = (&machine.Machine{}).Replace(o.File, text, 0o644, false)
		}
		return examineError(err)
	})
	cmd.Annotations = map[string]string{"directory": cdi.Directory, "kind": cdi.Kind,
		"machines": strings.Join(offer.Machines(), ", ")}
	return cmd
}

// replaceable returns an error for a link, and for a file that this tool did not write: its devices would get other
// names.
func replaceable(file string) error {
	m := &machine.Machine{}
	if place, err := m.PlaceOf(file, false); err == nil {
		place.Close()
	} else if errors.Is(err, machine.ErrLink) {
		return exit.Unable("%w", err)
	}
	text, err := m.ReadFile(file)
	if file == "" || errors.Is(err, fs.ErrNotExist) || err == nil && len(text) == 0 {
		return nil
	}
	by := "another program"
	if spec, err := cdi.Parse(text); err == nil && cdi.Given(spec) != nil {
		return nil
	} else if err == nil {
		if command, known := cdi.Author(spec); known {
			by, _, _ = strings.Cut(string(command), " ")
		}
		by += fmt.Sprintf(" (devices %s)", spec.Kind)
	}
	return exit.Unable("%s: %s wrote this file; --force replaces it", term.OneLine(file), term.OneLine(by))
}

// tellLeftOut prints the drivers that a file does not contain.
func tellLeftOut(s *invocation, left []cdi.LeftOut) {
	for _, l := range left {
		s.say("left out: %s: %s", term.Or(l.Manifest, l.Name), l.Why)
	}
}

// encode writes a CDI file: JSON if the file's name says so, otherwise YAML.
func encode(spec *specs.Spec, file string) ([]byte, error) {
	if path.Ext(file) == ".json" {
		return cdi.JSON(spec)
	}
	return cdi.YAML(spec)
}

func newCDIVerify(s *invocation) *cobra.Command {
	var o struct {
		output
		Host string `option:"host"`
	}
	cmd := newCommand("verify FILE", &o, cdiVerifySchema, func(args []string) error {
		spec, err := readCDI(args[0])
		if err != nil {
			return err
		}
		source, err := s.source("", false)
		if err != nil {
			return err
		}
		answer := struct {
			Schema int    `json:"schema"`
			File   string `json:"file"`
			Image  string `json:"image,omitempty"`
			cdi.Verdict
		}{Schema: cdiVerifySchema, File: args[0], Image: s.Root}
		var image *machine.Machine
		if source.Foreign() {
			image = &source.Machine
		}
		answer.Verdict = *cdi.Verify(spec, args[0], hostOf(s, o.Host), image)
		return o.judge(s, answer, answer.Bad(), func() { printVerified(s, &answer.Verdict) })
	})
	cmd.Args = cobra.ExactArgs(1)
	return cmd
}

func hostOf(s *invocation, root string) *machine.Machine {
	m := &machine.Machine{Root: root}
	m.Bound = s.boundOf(m)
	return m
}

func readCDI(file string) (*specs.Spec, error) {
	text, err := machine.ReadNamed(file, facts.MaxFile)
	if err != nil {
		return nil, examineError(err)
	}
	spec, err := cdi.Parse(text)
	if err != nil {
		return nil, exit.Problem("%s: %w", file, err)
	}
	return spec, nil
}

func printVerified(s *invocation, answer *cdi.Verdict) {
	if len(answer.Drivers) > 0 {
		table := term.NewTable("state", "driver", "architecture", "reason")
		for _, d := range answer.Drivers {
			table.Row(term.Either(d.Added, "added", "left out"), d.Name, d.Machine, d.Why)
		}
		table.Print(s.out, "", s.style)
	}
	printCDIFindings(s, slices.DeleteFunc(slices.Clone(answer.Findings), func(f cdi.Defect) bool { // the table shows it
		return f.Do == "" &&
			slices.ContainsFunc(answer.Drivers, func(d cdi.Driver) bool { return !d.Added && d.Why == f.What })
	}))
	if len(answer.Findings) == 0 {
		fmt.Fprintln(s.out, "No problems.")
	}
}

// printCDIFindings prints each finding once, with all of its subjects.
func printCDIFindings(s *invocation, list []cdi.Defect) {
	var said []cdi.Defect
	for _, f := range list {
		about := f.Path
		f.Path = ""
		if slices.Contains(said, f) {
			continue
		}
		said = append(said, f)
		for _, other := range list {
			path := other.Path
			if other.Path = ""; other == f && path != about {
				about += ", " + path
			}
		}
		f.Path = about
		severity := f.Severity
		if severity == cdi.Problem {
			severity = s.style.Bad(severity)
		}
		fmt.Fprintf(s.out, "%s: %s: %s\n", severity, term.OneLine(f.Path), term.OneLine(f.What))
		s.text("    ", f.Do)
	}
}

func newCDIList(s *invocation) *cobra.Command {
	var o struct {
		output
		Directories []string `option:"directory"`
	}
	o.Directories = cdi.Directories
	return newCommand("list", &o, cdiListSchema, func([]string) error {
		source, err := s.source("", false)
		if err != nil {
			return err
		}
		list := cdi.List(&source.Machine, o.Directories)
		problems := slices.ContainsFunc(list, func(d cdi.Listed) bool { return d.Problem != "" })
		return o.judge(s, struct {
			Schema  int          `json:"schema"`
			Devices []cdi.Listed `json:"devices"`
		}{cdiListSchema, list}, problems, func() {
			table := term.NewTable("device", "file", "nodes", "problem")
			for _, d := range list {
				table.Row(d.Name, d.File, strings.Join(d.Nodes, " "), d.Problem)
			}
			table.PrintOr("No CDI file describes a device, in "+strings.Join(o.Directories, " and ")+".", s.out,
				"", s.style)
		})
	})
}

func newCDIRefresh(s *invocation) *cobra.Command {
	var o struct {
		Directories []string `option:"directory"`
		Remove      bool     `option:"remove"`
	}
	o.Directories = cdi.Directories
	return newCommand("refresh", &o, 0, func([]string) error {
		m, err := s.machine()
		if err != nil {
			return err
		}
		var wrong []error
		for _, directory := range o.Directories {
			wrong = append(wrong, refreshIn(s, &m, directory, o.Remove)...)
		}
		return examineError(errors.Join(wrong...))
	})
}

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

// refreshFile refreshes one file. It skips files of other tools.
func refreshFile(s *invocation, m *machine.Machine, name string, remove bool) error {
	text, err := m.ReadFile(name)
	if err != nil {
		return err
	}
	spec, err := cdi.Parse(text)
	if err != nil {
		return nil // another tool's file or a damaged one; list shows it
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
		if err := place.Remove(); err != nil {
			return err
		}
		fmt.Fprintf(s.out, "%s: removed\n", term.OneLine(name))
		return nil
	}
	options, flags := cdi.Options{}, pflag.NewFlagSet("generate", pflag.ContinueOnError)
	option.Add(flags, &options)
	if err := flags.Parse(words); err != nil {
		return fmt.Errorf("it was written with options that this version does not know: %w", err)
	}
	made, left, err := generateCDI(s, options)
	if err != nil {
		return err
	}
	again, err := encode(made, name)
	if err != nil {
		return err
	}
	if bytes.Equal(again, text) {
		fmt.Fprintf(s.out, "%s: unchanged\n", term.OneLine(name))
		return nil
	}
	tellLeftOut(s, left)
	if cdi.Empty(made) {
		s.say("%s: this machine has no driver any more: containers start without drivers", name)
	}
	fmt.Fprintf(s.out, "%s: written again\n", term.OneLine(name))
	return place.Replace(again, 0o644)
}
