package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/bundle"
	"vkloader/internal/tool/decision"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/term"
)

// bundleSchema is raised when a field of bundle --json changes its meaning or goes.
const bundleSchema = 1

// manifestMost is how much of a manifest goes in.
const manifestMost = 1 << 20

// bundled is what bundle says of an archive.
type bundled struct {
	Schema  int           `json:"schema"`
	File    string        `json:"file"`
	Written bool          `json:"written"`
	Parts   []bundledPart `json:"parts"`
}

type bundledPart struct {
	Name string `json:"name"`
	Size int    `json:"size"` // in bytes
	What string `json:"what"`
}

func newBundle(s *surroundings) *cobra.Command {
	var (
		asJSON, only, force, still bool
		app, file                  string
		limit                      time.Duration
	)
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "One archive for a bug report: decision, findings, versions, variables, log, manifests",
		Long: "bundle gathers what somebody else needs to see what this machine does: the decision, the findings, versions, the\n" +
			"loader's variables, the log of a short program life, the manifests' texts. Home folders, login names and the\n" +
			"machine's name are replaced. --list shows what would go in; an archive that is there already is left alone.\n\n" +
			exitCodesHelp,
		Args: cobra.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			source, err := s.source(app, false)
			if err != nil {
				return err
			}
			if !only && !force {
				if _, err := os.Lstat(file); err == nil {
					return fmt.Errorf("%s is there already: another name with -o, or --force", file)
				}
			}
			parts, err := s.bundleParts(source, app, still || source.Foreign(), limit)
			if err != nil {
				return exit.As(exit.NotLooked, err)
			}
			answer := bundled{bundleSchema, file, !only, []bundledPart{}}
			for _, p := range parts {
				answer.Parts = append(answer.Parts, bundledPart{p.Name, len(p.Text), p.What})
			}
			if !only {
				if err := writeBundle(file, force, parts); err != nil {
					return exit.As(exit.NotLooked, err)
				}
			}
			if asJSON {
				return writeJSON(s, answer)
			}
			table := term.NewTable(">bytes", "name", "what")
			for _, p := range answer.Parts {
				table.Row(fmt.Sprint(p.Size), p.Name, p.What)
			}
			table.Print(s.out, "", term.StyleFor(s.out, s.getenv))
			if !only {
				fmt.Fprintf(s.out, "Written to %s. Look through it before you give it away.\n", file)
			}
			return nil
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&file, "output", "o", bundle.Folder+".tar.gz", "write to `FILE`")
	flags.BoolVar(&only, "list", false, "show what would go in, and write nothing")
	flags.BoolVar(&force, "force", false, "write over a file that is there")
	flags.BoolVar(&still, "still", false, "run nothing: without devices, and without a log")
	flags.BoolVar(&asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", bundleSchema))
	flags.StringVar(&app, "app", "", "the program that the report is about: path of its executable")
	flags.DurationVar(&limit, "timeout", 30*time.Second, "how long each child may take")
	return cmd
}

// writeBundle writes an archive when all of it is made, so that what goes wrong before leaves nothing behind.
func writeBundle(file string, force bool, parts []bundle.Part) error {
	var archive bytes.Buffer
	if err := bundle.Write(&archive, parts); err != nil {
		return err
	}
	mode := os.O_WRONLY | os.O_CREATE | os.O_EXCL
	if force {
		mode = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	out, err := os.OpenFile(file, mode, 0o600)
	if err != nil {
		return err
	}
	if _, err = archive.WriteTo(out); err != nil {
		err = errors.Join(err, out.Close(), os.Remove(file))
		return err
	}
	return out.Close()
}

// files is the folder of a bundle for what lies on the machine.
const files = "files"

// bundleParts gathers everything, with what is private hidden.
func (s *surroundings) bundleParts(source *machine.Source, app string, still bool, limit time.Duration) ([]bundle.Part, error) {
	answer, err := decision.Ask(source)
	if err != nil {
		return nil, err
	}
	var parts []bundle.Part
	forApp := func(line ...string) []string {
		if app != "" {
			line = append(line, "--app", app)
		}
		return line
	}
	within := fmt.Sprint("--timeout=", limit)
	for _, command := range []struct {
		name, what string
		runs       bool // something, or looks at the running machine
		line       []string
	}{
		{"version.json", "versions of the library and of the tool", true, []string{"version", "--json"}},
		{"explain.json", "what is loaded, in which order, and why", false, forApp("explain", "--json")},
		{"doctor.json", "what is wrong, and what to do", false, forApp("doctor", "--json")},
		{"variables.json", "the loader's variables, and no others", false, []string{"list", "variables", "--json"}},
		{"paths.json", "where drivers, layers and settings are looked for", false, []string{"list", "paths", "--json"}},
		{"info.json", "devices and times of a short program life", true, []string{"info", "--json", within}},
	} {
		if command.runs && still {
			continue
		}
		parts = append(parts, bundle.Part{Name: command.name, What: command.what, Text: s.said(command.line)})
	}
	chain := forApp("graph", "--format=html", within)
	if still {
		chain = append(chain, "--still")
	}
	parts = append(parts, bundle.Part{Name: "chain.html", What: "the chain as a picture", Text: s.said(chain)},
		bundle.Part{Name: "system.txt", What: "distribution and kernel", Text: systemText(source)})
	if !still {
		parts = append(parts, bundle.Part{Name: "log.txt", What: "what the loader says in a short program life", Text: s.logOfLife(source, limit)})
	}
	for _, path := range bundledManifests(answer) {
		parts = append(parts, bundle.Part{Name: files + filepath.Clean("/"+path), What: "a manifest or settings file", Text: textOf(source, path)})
	}
	hide := bundle.NewPrivate(peopleOf(source))
	for i := range parts {
		if path, is := strings.CutPrefix(parts[i].Name, files); is {
			parts[i].Name = files + "/" + strings.TrimPrefix(hide.Hide(path), "/")
		}
		parts[i].Text = hide.Hide(parts[i].Text)
	}
	// Different files may have one name now.
	for i := range parts {
		name := parts[i].Name
		for n := 2; slices.ContainsFunc(parts[:i], func(p bundle.Part) bool { return p.Name == parts[i].Name }); n++ {
			parts[i].Name = fmt.Sprintf("%s.%d", name, n)
		}
	}
	slices.SortStableFunc(parts, func(a, b bundle.Part) int { return strings.Compare(a.Name, b.Name) })
	return parts, nil
}

// said is what a command of the tool prints, or why it could not look.
func (s *surroundings) said(line []string) string {
	var out, errOut bytes.Buffer
	inner := *s
	inner.out, inner.errOut, inner.answered = &out, &errOut, nil
	if s.root != "" {
		line = append(line, "--root", s.root)
	}
	for _, variable := range s.variables {
		line = append(line, "--env", variable)
	}
	inner.root, inner.variables = "", nil
	if code := run(&inner, line); code > exit.Problems {
		return errOut.String()
	}
	return out.String()
}

func (s *surroundings) logOfLife(source *machine.Source, limit time.Duration) string {
	found, err := probe.Find(s.executable, "")
	if err != nil {
		return err.Error() + "\n"
	}
	told, err := probe.Run(found, machine.WithVariable(source.Environ, variables.Debug.Name(), "all"), limit)
	if err != nil {
		return err.Error() + "\n"
	}
	if told.Problem != "" {
		return told.Log + "\n" + told.Problem + "\n"
	}
	return told.Log
}

// bundledManifests are the files that the decision looked at.
func bundledManifests(answer *plan.Answer) []string {
	var paths []string
	add := func(path string) {
		if path != "" && search.IsManifestName(path) {
			paths = append(paths, path)
		}
	}
	for _, f := range answer.Findings {
		add(f.Path)
	}
	for _, l := range answer.Layers {
		add(l.Manifest)
	}
	for _, d := range answer.Drivers {
		add(d.Path)
	}
	if answer.Settings != nil {
		add(answer.Settings.File)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// textOf is the text of a file, or why there is none.
func textOf(source *machine.Source, path string) string {
	info, err := source.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s: %w: no file", path, fs.ErrInvalid)
	}
	var text []byte
	if err == nil {
		text, err = source.ReadFile(path)
	}
	if err != nil {
		return "vkloader: " + err.Error() + "\n"
	}
	return string(text[:min(len(text), manifestMost)])
}

// systemText says what kind of machine it is.
func systemText(source *machine.Source) string {
	var out strings.Builder
	if release, err := source.ReadFile("/etc/os-release"); err == nil {
		out.Write(release)
	}
	if !source.Foreign() {
		var name unix.Utsname
		if unix.Uname(&name) == nil {
			for _, field := range [][]byte{name.Sysname[:], name.Release[:], name.Version[:], name.Machine[:]} {
				fmt.Fprintln(&out, unix.ByteSliceToString(field))
			}
		}
	}
	return out.String()
}

// peopleOf reads who there is on a machine, for their names to be hidden: the one whose home the environment names or who
// runs the tool first.
func peopleOf(source *machine.Source) (me bundle.Person, others []bundle.Person, machine []string) {
	home, _ := source.Lookup(variables.Home.Name())
	for _, variable := range []string{"USER", "LOGNAME"} {
		if name, _ := source.Lookup(variable); name != "" && me.Name == "" {
			me.Name = name
		}
	}
	me.Homes = homesOf(source, home)
	users, _ := source.ReadFile("/etc/passwd")
	for _, line := range strings.Split(string(users), "\n") {
		field := strings.Split(line, ":")
		// Those of services say nothing of anybody; their homes are system folders.
		if len(field) < 7 || len(field[2]) < 4 && field[2] != "0" || field[0] == "nobody" {
			continue
		}
		if person := (bundle.Person{Name: field[0], Homes: homesOf(source, field[5])}); person.Name == me.Name || field[5] == home {
			me.Name, me.Homes = person.Name, append(me.Homes, person.Homes...)
		} else {
			others = append(others, person)
		}
	}
	if name, err := source.ReadFile("/etc/hostname"); err == nil {
		machine = append(machine, strings.TrimSpace(string(name)))
	}
	if name, err := os.Hostname(); err == nil && !source.Foreign() {
		machine = append(machine, name)
	}
	return me, others, machine
}

// homesOf is a home as it is written, and where that leads.
func homesOf(source *machine.Source, home string) []string {
	homes := []string{home}
	if real, err := source.Real(home); err == nil && home != "" && real != home {
		homes = append(homes, real)
	}
	return homes
}
