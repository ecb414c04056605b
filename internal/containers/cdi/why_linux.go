package cdi

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
	specs "tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/decide/machine"
)

// RecordPlace is the hook's record of its changes. The file belongs to one container, and ends with it.
const RecordPlace = Directory + "/why.json"

// recordSchema is raised when a field is removed or changes its meaning.
const recordSchema = 1

// Record is the hook's changes in a container.
type Record struct {
	Schema  int      `json:"schema"`
	Drivers []Driver `json:"drivers"`
	LeftOut []string `json:"left_out"` // drivers that the CDI file does not have, with the reasons
	Nodes   []string `json:"nodes"`    // of devices, that the container had
	Errors  []string `json:"errors"`   // what failed
}

// Write writes a record into a container.
func (r *Record) Write(root string) error {
	r.Schema = recordSchema
	text, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return err
	}
	base, err := os.OpenRoot(root + "/.")
	if err != nil {
		return err
	}
	defer base.Close()
	return (&container{machine: &machine.Machine{Root: root}, base: base}).own(FileToWrite{Path: RecordPlace,
		Text: append(text, '\n')})
}

// States of a container.
const (
	NoContainer = "no-container" // this is a host, as far as its files show
	NotGiven    = "not-given"    // it was started without a device of this tool's CDI file
	NoHook      = "no-hook"      // the files are there, and the hook has not run
	Arranged    = "arranged"
)

// Why is the result of adding the host's drivers to a container.
type Why struct {
	State   string   `json:"state"`    // no-container, not-given, no-hook or arranged
	LeftOut []string `json:"left_out"` // drivers that the CDI file does not have, with the reasons
	Do      []string `json:"do"`       // what to do if no driver works
	Verdict          // of the programs now
}

// Explain examines a container: the hook's record, and the drivers of its programs now. here: this process is in the
// container.
func Explain(m *machine.Machine, here bool) *Why {
	w := &Why{State: NotGiven, LeftOut: []string{}, Do: []string{},
		Verdict: Verdict{Drivers: []Driver{}, Findings: []Defect{}}}
	text, err := m.ReadFile(RecordPlace)
	var r Record
	if err == nil {
		err = json.Unmarshal(text, &r)
	}
	switch {
	case err == nil:
		w.State = Arranged
	case len(m.Names(Directory)) > 0:
		w.State = NoHook
		w.addDefect(Problem, Directory, "the host's tool did not run when this container was created: "+
			"it was removed, the runtime starts no hooks, or the tool failed",
			"On the host: vkloader cdi refresh; then create the container again.")
	case here && !isContainer(m):
		w.State = NoContainer
		w.addDefect(Note, "/", "no file or variable here belongs to a container",
			"Run \"vkloader cdi why\" in a container, or name a process in one with --pid.")
		return w
	default:
		w.addDefect(Note, Directory, "the container was created without a device of vkloader's CDI file",
			"Start it with --device "+Kind+"="+All+" (Podman, Docker).")
	}
	for _, d := range r.Drivers {
		if d.Added && d.Why == "" {
			continue
		}
		w.addReason(d)
	}
	w.LeftOut = append(w.LeftOut, r.LeftOut...)
	for _, text := range r.Errors {
		w.addDefect(Warning, Directory, text, "")
	}
	w.nodes(m, &r, here)
	kinds := running(m)
	for _, kind := range kinds {
		if kind.Bits == 32 && len(kinds) > 1 &&
			!slices.ContainsFunc(r.Drivers, func(d Driver) bool { return d.Machine == kind.Name }) {
			continue // the host has nothing for 32-bit programs
		}
		w.programs(m, kind)
	}
	if w.Bad() {
		w.Do = Advice(&w.Verdict, m, w.State == Arranged)
	}
	return w
}

// isContainer reports whether container managers left their marks: a file, or a variable of the first process.
func isContainer(m *machine.Machine) bool {
	if slices.ContainsFunc([]string{"/run/.containerenv", "/.dockerenv", "/run/systemd/container",
		"/run/host/container-manager", Directory}, m.Exists) {
		return true
	}
	first, _ := m.ReadFile("/proc/1/environ")
	_, own := m.Lookup("container")
	_, pod := m.Lookup("KUBERNETES_SERVICE_HOST")
	return own || pod || bytes.HasPrefix(first, []byte("container=")) || bytes.Contains(first, []byte("\x00container="))
}

// ExplainRoot is Explain for a container's root directory, seen without the container's mounts. If the directory for
// the mounts exists but is empty, ExplainRoot takes the mounts from the host's CDI file, and does the hook's work as
// verify does.
func ExplainRoot(m, host *machine.Machine) *Why {
	file, spec := currentFile(host)
	if info, err := m.Stat(Directory); err != nil || !info.IsDir() || len(m.Names(Directory)) > 0 || spec == nil {
		return Explain(m, false)
	}
	w := &Why{State: Arranged, LeftOut: []string{}, Do: []string{},
		Verdict: Verdict{Drivers: []Driver{}, Findings: []Defect{}}}
	w.addDefect(Note, Directory, "the container's mounts are not visible here: this is the content of "+file+
		" gives to it", "")
	all := editsOf(spec)
	for _, e := range all {
		for _, h := range e.Hooks {
			w.LeftOut = append(w.LeftOut, option(h, "--left")...)
		}
	}
	w.image(all, host, m, true)
	if w.Bad() {
		w.Do = Advice(&w.Verdict, m, true)
	}
	return w
}

// currentFile returns this tool's file of highest precedence that runtimes on the host read; nil: there is none.
func currentFile(host *machine.Machine) (file string, spec *specs.Spec) {
	for _, directory := range Directories {
		for _, name := range filesIn(host, directory) {
			text, err := host.ReadFile(name)
			if err != nil {
				continue
			}
			isOurs := func(e *specs.ContainerEdits) bool { return slices.ContainsFunc(e.Hooks, ours) }
			if found, err := Parse(text); err == nil && slices.ContainsFunc(editsOf(found), isOurs) {
				file, spec = name, found
			}
		}
	}
	return file, spec
}

// nodes judges the device nodes of a container.
func (w *Why) nodes(m *machine.Machine, r *Record, here bool) {
	nodes := NodesOf(m)
	if w.State == Arranged && len(nodes) == 0 {
		w.addDefect(Note, "/dev/dri", "the container has no device: only software drivers work", "")
	}
	for _, node := range nodes {
		if here && unix.Access(node, unix.R_OK|unix.W_OK) == unix.EACCES {
			w.addDefect(Warning, node, "this user may not open it",
				"Start the container with --group-add keep-groups (Podman), or write the file with vkloader cdi generate --groups.")
		}
	}
	for _, node := range r.Nodes {
		if !slices.Contains(nodes, node) && strings.HasPrefix(node, "/dev/") {
			w.addDefect(Warning, path.Clean(node),
				"the device existed when the container was created, and no longer exists", "")
		}
	}
}

// Sentence describes the state.
func (w *Why) Sentence() string {
	switch w.State {
	case Arranged:
		if count := w.workingCount(); count > 0 {
			return fmt.Sprintf("The host gave drivers to this container; programs get %d of them.", count)
		}
		return "The host gave drivers to this container; programs get none of them."
	case NoContainer:
		return "This is a host, not a container: its programs use its own drivers (vkloader doctor)."
	case NoHook:
		return "The host's drivers are mounted in this container, but not set up."
	}
	return "The host gave no drivers to this container."
}

// workingCount counts the working drivers from the host.
func (w *Why) workingCount() (count int) {
	for _, d := range w.Drivers {
		if d.Added && strings.HasPrefix(d.Name, prefix) {
			count++
		}
	}
	return count
}
