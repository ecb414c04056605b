package commands

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// patient is a machine on which the test follows printed fixes: files below a directory, and the variables of its programs.
type patient struct {
	root string
	env  []string
	user string   // of --user; "": the current one
	used []string // the working drivers and layers that programs get, after report
}

// symptom is a finding of the doctor's report with its printed fix.
type symptom struct {
	Severity, Code, Subject, Path, What, Do, Because, Untried string
	Commands                                                  []string
}

// key identifies a finding across reports.
func (s *symptom) key() string {
	key := s.Code + " " + s.Subject + " " + s.Path
	if strings.HasPrefix(s.Code, "variable-") || s.Code == "library-needs" { // a list can have several wrong entries, and a driver several missing libraries
		what, _, _ := strings.Cut(s.What, "; ") // the place of a missing layer may change
		key += " " + what
	}
	return key
}

// report returns the findings of the built tool's doctor.
func (p *patient) report() ([]symptom, error) {
	arguments := []string{"--root", p.root}
	for _, variable := range p.env {
		arguments = append(arguments, "--env", variable)
	}
	arguments = append(arguments, "doctor", "--json")
	if p.user != "" {
		arguments = append(arguments, "--user", p.user)
	}
	run := exec.Command(filepath.Join(built, "vkloader"), arguments...)
	out, err := run.Output()
	var report struct {
		Findings        []symptom
		Drivers, Layers []struct {
			Name       string
			Used, Good bool
		}
	}
	if bad := json.Unmarshal(out, &report); bad != nil {
		return nil, fmt.Errorf("%w (%v): %s", bad, err, out)
	}
	p.used = nil
	for _, m := range append(report.Drivers, report.Layers...) {
		if m.Used && m.Good {
			p.used = append(p.used, m.Name)
		}
	}
	return report.Findings, nil
}

// copied returns the machine with its files copied to another directory.
func (p *patient) copied(to string) (*patient, error) {
	err := filepath.WalkDir(p.root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		place := filepath.Join(to, strings.TrimPrefix(name, p.root))
		switch {
		case entry.IsDir():
			return os.MkdirAll(place, 0o755)
		case entry.Type()&fs.ModeSymlink != 0:
			target, err := os.Readlink(name)
			if err != nil {
				return err
			}
			return os.Symlink(target, place)
		}
		return os.Link(name, place) // no fix writes into an existing file
	})
	return &patient{root: to, env: slices.Clone(p.env), user: p.user, used: p.used}, err
}

// with sets a variable.
func (p *patient) with(name, value string) {
	p.without(name)
	p.env = append(p.env, name+"="+value)
}

// without unsets a variable.
func (p *patient) without(name string) {
	p.env = slices.DeleteFunc(p.env, func(pair string) bool { return strings.HasPrefix(pair, name+"=") })
}

// followed says how a printed fix was followed.
type followed uint8

const (
	done      followed = iota // every line was executed
	noStep                    // words alone: "Nothing", or a correction by hand
	elsewhere                 // the effect is outside of this machine's files, or in a package: the tool must say so
)

var (
	inShell    = regexp.MustCompile(`^(export \w+=|unset \w+$|rm -- |mkdir -p -- |echo |sed -i |chmod |ln -s|groupadd --gid |usermod -aG |ldconfig$)`)
	looks      = regexp.MustCompile(`^(dmesg \||vkloader (env|doctor|explain|list|validate)\b)`)
	atStart    = regexp.MustCompile(`-e (\w+)=('[^']*'|\S+)|env ((?:-u \w+ ?)+)|env (\w+)=('[^']*'|\S+) PROGRAM|--env=(\w+)=('[^']*'|\S+)|--unset-env=(\w+)|--unsetenv=(\w+)`)
	quotedPair = regexp.MustCompile(` '((?:--env=)?\w+=)([^']*)'`)
	inGroup    = regexp.MustCompile(`--group-add (\d+)|additional group (\d+)|supplementalGroups: \[(\d+)\]`)
	inSteam    = regexp.MustCompile(`launch options in Steam: (?:env ((?:-u \w+ )+))?((?:\w+=(?:'[^']*'|\S+) )*)%command%`)
	assignment = regexp.MustCompile(`(\w+)=('[^']*'|\S+)`)
	inPod      = regexp.MustCompile(`\{name: (\w+), value: "([^"]*)"\}`)
	inStarter  = regexp.MustCompile(`(?:^|\. )In \w+, (?:remove (\w+) from|let the variables of the program have (\w+)=('[^']*'|[^\s;]+))`)
	dropInPod  = regexp.MustCompile(`; without ([\w, ]+)$`)
)

// follow executes the lines of a fix exactly as printed.
func (p *patient) follow(s *symptom) (followed, error) {
	changed := false
	for _, m := range atStart.FindAllStringSubmatch(quotedPair.ReplaceAllString(s.Do, " $1'$2'"), -1) {
		switch {
		case m[1] == "NVIDIA_DRIVER_CAPABILITIES": // the container's tool reads it, outside of the container
			return elsewhere, nil
		case m[1] != "":
			p.with(m[1], strings.Trim(m[2], "'"))
		case m[4]+m[6] != "":
			p.with(m[4]+m[6], strings.Trim(m[5]+m[7], "'"))
		default:
			for _, name := range strings.Fields(strings.ReplaceAll(m[3], "-u ", "")) {
				p.without(name)
			}
			p.without(m[8])
			p.without(m[9])
		}
		changed = true
	}
	if m := inSteam.FindStringSubmatch(s.Do); m != nil {
		for _, name := range strings.Fields(strings.ReplaceAll(m[1], "-u ", "")) {
			p.without(name)
		}
		for _, pair := range assignment.FindAllStringSubmatch(m[2], -1) {
			p.with(pair[1], strings.Trim(pair[2], "'"))
		}
		changed = true
	}
	for _, m := range inPod.FindAllStringSubmatch(s.Do, -1) {
		if m[1] == "NVIDIA_DRIVER_CAPABILITIES" {
			return elsewhere, nil
		}
		p.with(m[1], m[2])
		changed = true
	}
	if m := inStarter.FindStringSubmatch(s.Do); m != nil {
		if p.without(m[1]); m[2] != "" {
			p.with(m[2], strings.Trim(m[3], "'"))
		}
		changed = true
	}
	if m := dropInPod.FindStringSubmatch(s.Do); m != nil && changed {
		for _, name := range strings.Split(m[1], ", ") {
			p.without(name)
		}
	}
	if m := inGroup.FindStringSubmatch(s.Do); m != nil {
		return done, p.join(m[1]+m[2]+m[3], p.user)
	}
	if changed {
		return done, nil
	}
	for _, line := range s.Commands {
		if file, rest, is := strings.Cut(line, " && systemctl"); is && dropIn.MatchString(rest) {
			return done, p.dropIn(file)
		}
	}
	how := noStep
	for _, line := range s.Commands {
		if looks.MatchString(line) { // a line that only shows more
			continue
		}
		if !inShell.MatchString(line) || strings.HasPrefix(line, "chmod 666 /dev/") { // the nodes of a kernel module
			return elsewhere, nil
		}
		if err := p.obey(line); err != nil {
			return how, fmt.Errorf("%q: %w", line, err)
		}
		how = done
	}
	return how, nil
}

// dropIn matches the end of a line that writes a unit's drop-in: the restart of the service.
var dropIn = regexp.MustCompile(`^(?: --user)? daemon-reload && systemctl(?: --user)? restart \S+$`)

// dropIn executes the line that writes a drop-in of a unit, and changes the variables of the service's programs.
func (p *patient) dropIn(line string) error {
	if err := p.obey(line); err != nil {
		return err
	}
	_, file, _ := strings.Cut(line, " > ")
	text, err := os.ReadFile(p.root + file)
	lines := strings.Split(string(text), "\n")
	if err == nil && lines[0] != "[Service]" {
		err = fmt.Errorf("no section: %s", text)
	}
	for _, line := range lines {
		key, value, _ := strings.Cut(line, "=")
		if value = strings.NewReplacer(`\\`, `\`, `\"`, `"`, "%%", "%").Replace(strings.Trim(value, `"`)); key == "UnsetEnvironment" {
			p.without(value)
		} else if name, value, is := strings.Cut(value, "="); is && key == "Environment" {
			p.with(name, value)
		}
	}
	return err
}

// shellPath matches an absolute path in a shell line, quoted or not.
var shellPath = regexp.MustCompile(`('?)(/[^ ']*[^']*?)('|$| )`)

// obey executes a shell line on the machine's files and variables.
func (p *patient) obey(line string) error {
	if before, is := strings.CutSuffix(line, " && ldconfig"); is {
		return errors.Join(p.obey(before), runLdconfig(p.root))
	}
	switch name, rest, _ := strings.Cut(line, " "); name {
	case "export":
		variable, value, _ := strings.Cut(rest, "=")
		out, err := exec.Command("sh", "-c", "printf %s "+value).Output()
		p.with(variable, string(out))
		return err
	case "unset":
		p.without(rest)
		return nil
	case "ldconfig":
		return runLdconfig(p.root)
	case "groupadd": // --gid GROUP NAME && usermod ...
		words := strings.Fields(rest)
		place := filepath.Join(p.root, "etc/group")
		text, err := os.ReadFile(place)
		if err == nil {
			err = replaced(place, string(text)+words[2]+":x:"+words[1]+":\n")
		}
		if _, join, is := strings.Cut(rest, " && "); is && err == nil {
			return p.obey(join)
		}
		return err
	case "usermod":
		words := strings.Fields(rest) // -aG GROUP USER
		return p.join(words[1], words[2])
	}
	at := shellPath.FindStringSubmatchIndex(line)
	if at == nil {
		return fmt.Errorf("no path")
	}
	moved := line[:at[4]] + p.root + line[at[4]:]
	for _, next := range []string{" > /", " > '/", " && rm -- /"} { // a second path
		moved = strings.ReplaceAll(moved, next, strings.TrimSuffix(next, "/")+p.root+"/")
	}
	moved = strings.ReplaceAll(moved, " /dev/nvidia", " "+p.root+"/dev/nvidia") // more nodes
	if strings.HasPrefix(line, "sed -i s@") {                                   // paths in the pattern
		moved = strings.ReplaceAll(line, " /", " "+p.root+"/")
	}
	shell := exec.Command("sh", "-ec", moved)
	out, err := shell.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

// runLdconfig writes the cache of the dynamic linker below a directory.
func runLdconfig(root string) error {
	words := []string{"/sbin/ldconfig", "-r", root}
	if os.Geteuid() != 0 { // chroot needs root, at least of a user namespace
		words = append([]string{"unshare", "--user", "--map-root-user"}, words...)
	}
	return exec.Command(words[0], words[1:]...).Run()
}

// join makes a user a member of a group, by the group's name or number.
func (p *patient) join(group, user string) error {
	place := filepath.Join(p.root, "etc/group")
	text, err := os.ReadFile(place)
	if err != nil {
		return err
	}
	lines := strings.Split(string(text), "\n")
	for i := range lines {
		if fields := strings.Split(lines[i], ":"); len(fields) > 3 && (fields[0] == group || fields[2] == group) {
			lines[i] += "," + user
		}
	}
	return replaced(place, strings.Join(lines, "\n"))
}

// replaced writes a new file at the path of another. Hard links to the old file keep its content.
func replaced(place, text string) error {
	if err := os.Remove(place); err != nil {
		return err
	}
	return os.WriteFile(place, []byte(text), 0o644)
}

// tally has the counts of a test.
type tally struct{ worlds, fixes, elsewhere, words, seconds int }

func (t *tally) add(o *tally) {
	t.worlds += o.worlds
	t.fixes += o.fixes
	t.elsewhere += o.elsewhere
	t.words += o.words
	t.seconds += o.seconds
}

func (t *tally) String() string {
	return fmt.Sprintf("%d machines: %d fixes followed, %d second fixes after them, %d said to be untried, %d are words", t.worlds, t.fixes, t.seconds,
		t.elsewhere, t.words)
}

// followAll follows each printed fix of a machine on a separate copy, and examines the copy again. A fault is a finding that remains, a new
// problem, or a later fix that brings the finding back.
func followAll(p *patient, space string) (counted *tally, faults []string) {
	counted = &tally{worlds: 1}
	before, err := p.report()
	if err != nil {
		return counted, []string{err.Error()}
	}
	for i := range before {
		faults = append(faults, followOne(p, before, &before[i], filepath.Join(space, fmt.Sprint(i)), counted)...)
	}
	return counted, faults
}

func followOne(p *patient, before []symptom, s *symptom, space string, counted *tally) (faults []string) {
	fault := func(format string, values ...any) {
		faults = append(faults, fmt.Sprintf("%s %s\n    what %s\n    do   %s\n    ", s.Severity, s.key(), s.What, s.Do)+fmt.Sprintf(format, values...))
	}
	if s.Because != "" { // the fix is that of its cause
		return nil
	}
	after, err := p.copied(space)
	if err != nil {
		return []string{err.Error()}
	}
	defer os.RemoveAll(space)
	how, err := after.follow(s)
	switch {
	case err != nil:
		fault("it cannot be followed: %v", err)
		return faults
	case how == noStep:
		if slices.ContainsFunc(s.Commands, func(line string) bool { return !looks.MatchString(line) }) {
			fault("its lines %q were not followed", s.Commands)
		}
		if strings.HasPrefix(s.Do, "Start the container with") && s.Untried == "" {
			fault("nobody has tried it, and it does not say so")
		}
		counted.words++
		return faults
	case how == elsewhere:
		if s.Untried == "" {
			fault("nobody has tried it, and it does not say so")
		}
		counted.elsewhere++
		return faults
	}
	counted.fixes++
	if s.Untried != "" {
		fault("it can be tried; it says: %s", s.Untried)
	}
	then, err := after.report()
	if err != nil {
		fault("then: %v", err)
		return faults
	}
	if slices.ContainsFunc(then, func(o symptom) bool { return o.key() == s.key() && o.Severity == s.Severity }) {
		fault("followed, it is still there")
	}
	for i := range then {
		o := &then[i]
		if o.Severity == "warning" && o.Subject == s.Subject && o.Code != "software-only" && // after the fix, the software renderer works
			!(o.Code == "gpu-left-out" && strings.HasPrefix(s.Code, "gpu-")) && // the examination of a device stops at its first fault
			o.Code != "library-twice" && o.Code != "device-twice" && // the excluded driver had two manifests
			!slices.ContainsFunc(before, func(b symptom) bool { return b.key() == o.key() }) {
			fault("followed, a warning about it is new: %s: %s", o.key(), o.What)
		}
	}
	for _, name := range p.used {
		if strings.HasPrefix(s.Code, "leftover-") || strings.HasPrefix(s.Code, "settings-") { // the file had an unwanted effect
			break
		}
		if s.Code != "variable-value" && s.Code != "variable-unknown" && !slices.Contains(after.used, name) && // the corrected value asks for it
			!strings.Contains(s.Do, name) && !strings.Contains(s.What, name) {
			fault("followed, programs lose %s", name)
		}
	}
	for i := range then {
		o := &then[i]
		if o.Severity == "problem" && !(o.Subject == s.Subject && strings.HasPrefix(s.Code, "gpu-")) && // the examination of a device stops at its first fault
			!slices.ContainsFunc(before, func(b symptom) bool { return b.key() == o.key() && b.Severity == "problem" }) {
			fault("followed, a problem is new: %s: %s", o.key(), o.What)
		}
	}
	if len(faults) > 0 { // one fault is enough to notice a wrong fix
		return faults
	}
	for i := range then {
		o := &then[i]
		if o.Because != "" || strings.HasPrefix(o.Do, "Nothing, if this is intended.") || excludes(s, o) {
			continue
		}
		again := filepath.Join(space+"-then", fmt.Sprint(i))
		second, err := after.copied(again)
		if err != nil {
			return append(faults, err.Error())
		}
		if how, err := second.follow(o); err == nil && how == done {
			counted.seconds++
			last, err := second.report()
			if err != nil || slices.ContainsFunc(last, func(b symptom) bool { return b.key() == s.key() && b.Severity == s.Severity }) {
				fault("followed, the fix of %s (%s) brings it back; %v", o.key(), o.Do, err)
			}
		}
		os.RemoveAll(again)
	}
	return faults
}

// excludes reports whether two fixes are for different programs: the first for programs that need a device, the second for the
// others.
func excludes(first, second *symptom) bool {
	return first.Subject == second.Subject && strings.Contains(first.Do, " For a program that needs the device") &&
		strings.HasPrefix(second.Do, "For a program that does not need the device")
}

// Each printed fix ends its finding on each machine, causes no new problem, and no later fix undoes it.
func TestEveryFixEnds(t *testing.T) {
	t.Parallel()
	machines, err := filepath.Glob("testdata/machines/*.txtar")
	if err != nil || len(machines) < 40 {
		t.Fatalf("%d machines, %v", len(machines), err)
	}
	all := &tally{}
	for _, file := range machines {
		root := t.TempDir()
		m, err := build(file, root)
		if err != nil {
			t.Fatal(err)
		}
		counted, faults := followAll(&patient{root: root, env: m.env}, filepath.Join(t.TempDir(), "copies"))
		all.add(counted)
		for _, fault := range faults {
			t.Errorf("%s: %s", filepath.Base(file), fault)
		}
	}
	t.Log(all)
	if all.fixes < 23 {
		t.Errorf("only %d fixes were followed", all.fixes)
	}
}
