package cli

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/binary"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/run"
	"vkloader/internal/tool/term"
)

// verdict is the result of run --find-culprit in JSON.
type verdict struct {
	Schema  int      `json:"schema"`
	Program []string `json:"program"`

	run.CulpritSearch
	run.Seen // without changes

	Loader *loaders.Loader `json:"loader,omitempty"` // the loader with which it ended so; absent: unknown
	// the version of the loader with which it works, if it fails with one only
	Works   string     `json:"works_with,omitempty"`
	Fix     shell.Line `json:"fix,omitempty"`    // a command line with which the program works
	Update  string     `json:"update,omitempty"` // what to update: the user asks for the culprit
	Applied bool       `json:"applied"`          // --apply has excluded the culprits for the program
	Notes   []string   `json:"notes"`

	elsewhere string // the program, or what else may be the culprit if the search finds none
	canApply  bool   // settings can exclude the culprits for the program
}

// findsCulprit holds the options of --find-culprit.
type findsCulprit struct {
	Culprit bool `option:"find-culprit" excludes:"dry-run log time"`
	Apply   bool `option:"apply" needs:"find-culprit"`
	run.Limits
	failure
	// the environment that gives the program its loader without the tool; nil: the same environment
	usual []string
}

// hunt is a search for the culprit of a crash or hang.
type hunt struct {
	findsCulprit
	s       *invocation
	program run.Program
	scene   run.Scene
	out     *os.File
	runs    int
	notes   []string
	rights  process.FileRights // the rights from the program's file, which it lacks under the tool
	code    int                // exit code of the last run
	talk    io.Writer          // receives a message for each run

	used       *loaders.Loader // the program's loader; nil: unknown
	other      *loaders.Loader // the program's loader without the tool; nil: the same, or none is found
	bare       bool            // without the tool, the program may find no loader
	symbol     string          // the one that the dynamic linker did not find in the first run; "": none
	null       bool            // the first run called a null pointer
	quiet      bool            // do not enable the loader's log, whose format may be another loader's
	usedLoader bool            // a run has used the loader
	loaderless string          // the loader that the dynamic linker cannot load in the program; "": none
	saidWait   bool            // the ways to end a run were named
}

// find runs the program until the culprit is known.
func (r *findsCulprit) find(s *invocation, m *machine.Machine, path string, args []string, asJSON bool) error {
	if r.Apply {
		if err := readsSettings(s); err != nil {
			return err
		}
	}
	h, err := r.hunt(s, m, path, args)
	if err != nil {
		return err
	}
	if asJSON {
		h.out = os.Stderr // standard output is for the verdict
	}
	found, err := run.FindCulprit(h.trial, h.suspects)
	if err != nil {
		return exit.As(exit.CannotRun, err)
	}
	with := h.used
	if found.Result == run.EndedWell {
		runs := h.runs
		usual, err := h.withUsual()
		switch {
		case err != nil:
			return exit.As(exit.CannotRun, err)
		case usual == nil && h.runs > runs && h.other != nil:
			h.note("the program also %s with %s, which it gets without vkloader",
				term.Either(h.code > 0, "neither crashes nor hangs", "works"), h.other.Title())
		case usual != nil:
			usual.Runs = append(found.Runs, usual.Runs...)
			found, with = usual, h.other
		}
	}
	if !h.usedLoader {
		with = nil
	}
	v := h.verdict(found, with)
	var failed error
	if r.Apply && found.Result == run.FoundCulprit {
		v.Applied, failed = h.apply(found)
	}
	v.Notes = append([]string{}, h.notes...)
	if asJSON {
		err = writeJSON(s, v)
	} else {
		printVerdict(s, v, r.Apply)
	}
	switch err = cmp.Or(err, failed); {
	case err != nil:
		return err
	case v.Result == run.BrokenOff:
		return exit.With(exit.NotLooked)
	case v.Result != run.EndedWell:
		return exit.With(exit.Problems)
	}
	return nil
}

func (r *findsCulprit) hunt(s *invocation, m *machine.Machine, path string, args []string) (*hunt, error) {
	loud := *m
	loud.Environ = machine.WithVariable(m.Environ, variables.Debug.Name(), "all")
	source := &machine.Source{Machine: loud, Program: fullPath(path), AsUser: s.asUser}
	source.Class = binary.ProgramOf(&source.Machine, source.Program).Class
	used, other, bare := loadersOf(source, r.usual)
	used.On(source)
	answer, err := explain.Decide(source, explain.WithPortability)
	if err != nil {
		return nil, err
	}
	h := &hunt{s: s, program: run.Program{Path: path, Args: args}, scene: sceneOf(source, answer, used),
		findsCulprit: *r, out: os.Stdout, talk: s.talk(), used: used, other: other, bare: bare}
	h.exits = h.With == "exit"
	if !onWindows && !s.asUser {
		if h.rights = process.RightsOf(&source.Machine, source.Program); h.rights != "" {
			h.note("the program was tried without the rights of its file (%s); with them, it ignores most "+
				"variables: vkloader explain --app %s", h.rights, shell.Quoted(source.Program))
		}
	}
	return h, nil
}

func (h *hunt) note(format string, args ...any) {
	h.notes = append(h.notes, fmt.Sprintf(format, args...))
}

// verdict returns the result of a search. with is the program's loader.
func (h *hunt) verdict(found *run.CulpritSearch, with *loaders.Loader) *verdict {
	args := h.program.Args
	v := &verdict{Schema: culpritSchema, Program: args, CulpritSearch: *found, Seen: *found.First, Loader: with}
	v.Files = append([]string{}, v.Files...)
	h.noteExits(found)
	if found.Result == run.NothingToLeaveOut || found.Result == run.FailsWithLoader && with == nil {
		h.noteFinding()
	}
	if with != h.used && h.used != nil && (with != nil || found.Result == run.FailsWithLoader) {
		v.Works = h.used.Short()
	}
	switch found.Result {
	case run.NothingToLeaveOut:
		if h.loaderless != "" {
			h.note("the dynamic linker cannot load %s in this program: vkloader doctor --app %s", h.loaderless,
				shell.Quoted(h.program.Path))
		}
		switch list := h.scene.Answer.Drivers; {
		case found.First.Deviceless != "":
			v.elsewhere = "no driver or layer: " + found.First.Deviceless
		case found.First.Unused:
			v.elsewhere = "the program: it failed before it loaded a Vulkan loader, a driver or a layer"
		case found.First.Cut && h.symbol != "":
			v.elsewhere = machine.Style.Base(v.Files[0]) + ": nothing defines " + h.symbol + ", which it needs"
		case found.First.Cut:
			v.elsewhere = "the program: the dynamic linker cannot load its libraries"
		case len(list) == 0:
			v.elsewhere = "no driver or layer: the program gets no driver"
		case !h.usedLoader && !h.quiet:
			v.elsewhere = "the program: no Vulkan loader wrote a line in it, and it also fails without each layer and each driver"
		case len(list) == 1:
			v.elsewhere = "the program or its only driver, " + machine.Style.Base(list[0].Path) +
				": it also fails without each layer"
		default:
			v.elsewhere = "the program, or each of its drivers: it also fails without each layer and each driver"
		}
		if h.exits && h.With == "" && !found.First.Cut {
			h.note("the exit code counts as the failure; if the program worked: --fails-with crash")
		}
		if broken := loaders.BrokenLayer(found.First.Refused); broken != "" {
			v.elsewhere = "the layer " + broken + ": the program asks for it, and it cannot be loaded"
		} else if found.First.Refused != "" || strings.Contains(found.First.Wrote, "ERROR_LAYER_NOT_PRESENT") {
			text, _ := h.scene.Source.ReadLarge(h.scene.Source.Program)
			named := doctor.NamedLayers(h.scene.Source, text)
			for _, l := range named {
				h.note("%s is not installed, and %s names it. %s", l.Name, h.scene.Source.Program, l.Do)
			}
			names := term.Words(named, func(l doctor.NamedLayer) string { return l.Name })
			v.elsewhere = "the program: it asks for a layer that is not installed" +
				term.Enclosed(": ", strings.Join(names, " or "), "")
		}
		if name := found.First.Lacks; name != "" {
			v.elsewhere = "the device that the program uses: it lacks " + name + ", which the program enables"
			h.note("which devices have it: vkloader check --require extension=%s. A newer driver may add it. "+
				"Otherwise use another device, or let the program work without Vulkan", name)
		}
		for _, line := range found.First.Errors {
			if name, ofDevice := loaders.MissingExtension(line); name != "" && !ofDevice {
				v.elsewhere = "the program: it enables " + name + ", which no driver and no enabled layer has"
			}
		}
		if h.null && h.usedLoader {
			h.note(
				"it called a null pointer. A program gets one if it looks up a command of an extension that does not exist or that it does not " +
					"enable: vkloader check --require extension=NAME")
		}
	case run.FailsWithLoader:
		v.Fix = runsWith(args)
	case run.FoundKeeping, run.FoundUnloading:
		value := term.Either(found.Result == run.FoundKeeping, "0", "1")
		v.Fix = h.lineFor([]explain.Change{explain.SetVariable(variables.DisableUnloading.Name(), value)}, args)
	case run.FoundCulprit:
		if name := found.First.Lacks; name != "" && found.Culprits[0].Kind == run.Driver {
			h.note("its device lacks %s, which the program enables; without the driver, the program gets another device", name)
		}
		for _, c := range found.Culprits { // the loader's last line may be about a library that was opened before
			if c.Library != "" && strings.Contains(v.Wrote, c.Library) && !strings.Contains(v.Phase, c.Library) {
				v.Phase = "in code of " + c.Library
			}
		}
		v.Update = h.updates(found.Culprits)
		v.canApply = v.Update == "" && h.withoutEffect(found) == "" && found.Culprits[0].Kind != run.Variable
		_, changes := h.scene.Without(found.Culprits)
		ignored := func(c explain.Change) bool { // a variable that the elevated program ignores
			id, known := variables.Find(c.Variable)
			return known && id.Secure()
		}
		if v.Fix = h.lineFor(changes, args); h.rights != "" && slices.ContainsFunc(changes, ignored) {
			v.Fix = ""
			h.note("no variable keeps it out of this program; to keep it out of all programs, remove its manifest")
		}
	}
	return v
}

// noteFinding notes the first finding of doctor for the program, which the search cannot name.
func (h *hunt) noteFinding() {
	quiet := *h.s
	quiet.errOut = io.Discard
	about, err := quiet.subject(h.program.Path, false, 0)
	if err != nil {
		return
	}
	report, err := examine(context.Background(), &quiet, about,
		examination{how: (&doctoring{App: h.program.Path}).effort(about), limit: childLimit})
	if err != nil {
		return
	}
	for i := range report.Findings {
		if f := &report.Findings[i]; f.Shown() && f.Severity != diag.Note {
			h.note("See vkloader doctor --app %s: %s", shell.Quoted(h.program.Path), f.Code)
			return
		}
	}
}

// readsSettings returns an error if the tool runs as administrator: the program does too, and does not read the
// settings of a user. With --elevated=false it returns nil, because the program has other rights.
func readsSettings(s *invocation) error {
	if !onWindows || s.asUser || !elevatedHere() {
		return nil
	}
	return exit.Unable(
		"--apply: nothing was written, because programs that run as administrator do not read the settings of a user " +
			"in HKEY_CURRENT_USER. Use a prompt without administrator rights")
}

// withoutEffect returns the reason why settings exclude none of the culprits for the program; "": they do.
func (h *hunt) withoutEffect(found *run.CulpritSearch) string {
	usual := h.other
	if usual == nil {
		usual = h.used
	}
	reads := func(c run.Suspect) bool { return c.Kind == run.Variable || obeysExclusion(usual, string(c.Kind)) }
	switch {
	case h.rights != "":
		return "this program ignores the user's settings"
	case !slices.ContainsFunc(found.Culprits, reads):
		return "settings are " + usual.NotInForce(h.program.Path)
	}
	return ""
}

// apply excludes the culprits for the program, and reports whether it did.
func (h *hunt) apply(found *run.CulpritSearch) (bool, error) {
	if why := h.withoutEffect(found); why != "" {
		h.note("--apply has no effect: %s", why)
		return false, nil
	}
	for _, c := range found.Culprits {
		if c.Kind == run.Variable {
			h.note("--apply changes no variable: unset %s yourself", c.Name)
			continue
		}
		app := term.Or(found.First.Process, h.scene.Source.Program)
		if err := exclude(h.s, newExclusion(string(c.Kind), c.Name, app)); err != nil {
			return false, err
		}
	}
	return true, nil
}

// sceneOf returns the scene for a loader, which determines the way to exclude drivers; nil: unknown loader.
func sceneOf(source *machine.Source, answer *plan.Answer, loader *loaders.Loader) run.Scene {
	byFiles := loader != nil && !loader.Ours() && !loader.Obeys(variables.DriversDisable.Name())
	return run.Scene{Source: source, Answer: answer, Program: explain.WithPortability, ByFiles: byFiles}
}

// suspects returns the suspects that runs can exclude, and notes the others.
func (h *hunt) suspects(first *run.Seen) *run.Suspects {
	list := h.scene.Suspects(first.Layers)
	why := "a settings file may enable it: vkloader settings show"
	if elevatedHere() {
		why = "the program runs with more rights than its user, and ignores most variables"
	}
	if l, is := h.scene.Source.Loader.(*loaders.Loader); is {
		why = "the program gets " + l.Title() + ", which may not read the variables that disable layers"
	}
	for _, name := range list.Stay {
		h.note("variables cannot leave out %s; %s", name, why)
	}
	return list
}

// refusesTracer is the message of a program with a leak sanitizer when a debugger or this tool traces it.
const refusesTracer = "LeakSanitizer does not work under ptrace"

// missesSymbol is a part of the dynamic linker's message about a function that no library defines; linkerFailed is the
// exit code if the linker ends the program.
const (
	missesSymbol = "undefined symbol"
	linkerFailed = 127
)

// noLoader, noPlainLoader and refusesLoader are parts of the dynamic linker's messages about a Vulkan loader that it
// does not find, and about one that needs newer libraries than those of the program.
const (
	noLoader      = "libvulkan.so.1: cannot open shared object file"
	noPlainLoader = "libvulkan.so: cannot open shared object file"
	refusesLoader = "/libvulkan.so.1)"
)

// trial runs the program once.
func (h *hunt) trial(list []run.Suspect) (*run.Seen, error) {
	h.runs++
	what := "as it is"
	if len(list) > 0 {
		names := term.Words(list, func(x run.Suspect) string { return x.Name })
		what = "without " + strings.Join(names, ", ")
	}
	program := h.program
	program.Environ, _ = h.scene.Without(list)
	progress := &loaders.Progress{}
	texts := map[string]bool{refusesTracer: false, missesSymbol: false, noLoader: false, noPlainLoader: false,
		refusesLoader: false, h.When: false}
	said := &listener{to: h.s.errOut, heard: texts}
	begun := time.Now()
	stop := h.sayWait()
	line := func(line string, _ time.Time) { progress.Line(strings.TrimSuffix(line, "\r")) }
	end, err := program.Trace(&run.Splitter{Rest: said, Line: line}, h.Limits, h.out)
	stop()
	if err != nil {
		return nil, err
	}
	if said.has(refusesTracer) && !h.Untraced {
		h.Untraced = true
		h.note(
			"the program's leak sanitizer does not work under a tracer: the program ran without a tracer, so the file in which it stopped is unknown")
		return h.trial(list)
	}
	h.code = end.Code
	h.usedLoader = h.usedLoader || progress.Phase != ""
	seen := &run.Seen{Good: !end.Hung && !end.Crashed(), Stopped: end.Interrupted, Phase: progress.Words(),
		Last: progress.Last, Errors: progress.Errors, Wrote: said.lastLines(), Layers: progress.Layers,
		What: endOf(end), Refused: progress.Refused, Deviceless: progress.Deviceless}
	for _, line := range progress.Errors {
		if name, ofDevice := loaders.MissingExtension(line); ofDevice {
			seen.Lacks = name
		}
	}
	if len(list) == 0 && h.With+h.When == "" {
		h.exits = seen.Good
	}
	if why := h.failure.of(end, said.has(h.When)); seen.Good && why != "" {
		seen.Good, seen.What = false, why
	}
	seen.Missing = said.has(missesSymbol) && (h.quiet || progress.Phase != "")
	if file, symbol, is := said.linkerError(); is && end.Code == linkerFailed {
		seen.Good, seen.Cut, seen.What = false, true, "ended by the dynamic linker"
		if symbol != "" {
			seen.Files = []string{file}
		}
		if len(list) == 0 {
			h.symbol = symbol
		}
	}
	if h.quiet {
		seen.Phase = ""
	}
	if end.Fault != nil {
		h.null = h.runs == 1 && end.Fault.Null || h.null
		seen.Files, seen.Process, seen.Nowhere = end.Fault.Files, end.Fault.Program, !end.Fault.Mapped
		seen.Unused = progress.Phase == "" && !h.quiet && !end.Fault.Loader
	}
	plain := said.has(noPlainLoader)
	if progress.Phase == "" && !h.quiet && (plain || said.has(noLoader) || said.has(refusesLoader)) {
		h.loaderless, seen.Unused = term.Either(plain, "libvulkan.so", "libvulkan.so.1"), true
	}
	fmt.Fprintf(h.talk, "vkloader: run %d, %s: %s (%.1f s)\n", h.runs, term.OneLine(what), term.OneLine(seen.What),
		time.Since(begun).Seconds())
	return seen, nil
}

// failure defines further failures beside a crash and a hang.
type failure struct {
	// "exit": any exit code but 0; "crash": none; "": any if the first run of the search ends with one
	With string `option:"fails-with" words:"crash exit" needs:"find-culprit"`
	// a text on standard error
	When string `option:"fails-when" needs:"find-culprit"`

	exits bool // an exit code is a failure in this search
}

// of returns the reason why a run without a crash or hang failed; "": it did not fail.
func (f *failure) of(end *run.End, heard bool) string {
	switch {
	case heard:
		return fmt.Sprintf("it wrote %q; %s", f.When, endOf(end))
	case f.exits && !end.Enough && end.Code > 0:
		return endOf(end)
	}
	return ""
}

// loadersOf returns the program's loader in a search and its loader without the tool. used is nil if the dynamic linker
// finds none; other is also nil if both are the same file. bare: the dynamic linker finds none without the tool.
func loadersOf(source *machine.Source, usual []string) (used, other *loaders.Loader, bare bool) {
	used = loaders.For(source, loaders.Linker(source), nil)
	if usual == nil || used == nil {
		return used, nil, false
	}
	plain := *source
	plain.Environ = usual
	other = loaders.For(&plain, loaders.Linker(&plain), nil)
	if other == nil || other.File == used.File {
		return used, nil, other == nil
	}
	return used, other, false
}

// withUsual repeats the search with the program's loader without the tool. It returns nil if the program works with
// that loader, or if the program uses no loader.
func (h *hunt) withUsual() (*run.CulpritSearch, error) {
	if h.other == nil && !h.bare || !h.usedLoader {
		return nil, nil
	}
	source := *h.scene.Source
	source.Environ, source.Kept = h.usual, nil
	h.other.On(&source)
	answer, err := explain.Decide(&source, explain.WithPortability)
	if err != nil {
		return nil, err
	}
	suspects := h.suspects
	if h.bare {
		fmt.Fprintln(h.talk, "vkloader: without vkloader's loader:")
		suspects = func(*run.Seen) *run.Suspects { return &run.Suspects{} }
	} else {
		fmt.Fprintf(h.talk, "vkloader: with %s, which the program gets without vkloader:\n", h.other.Title())
	}
	before := h.scene
	h.scene = sceneOf(&source, answer, h.other)
	h.quiet = true
	found, err := run.FindCulprit(h.trial, suspects)
	if err == nil && found.Result == run.NothingToLeaveOut {
		found.Result = run.FailsWithLoader
	}
	if err != nil || found.Result == run.EndedWell {
		h.scene, h.quiet = before, false
		return nil, err
	}
	return found, nil
}

// lineFor returns a command line with which the program works. If the program's loader without the tool ignores a
// variable in it, the line runs the program through the tool.
func (h *hunt) lineFor(changes []explain.Change, args []string) shell.Line {
	ignored := h.other != nil && slices.ContainsFunc(changes,
		func(c explain.Change) bool { return c.Set && !h.other.Obeys(c.Variable) })
	if ignored {
		args = append([]string{"vkloader", "run", "--"}, args...)
	}
	return commandLine(changes, args, " & ")
}

func runsWith(args []string) shell.Line {
	return shell.Words(append([]string{"vkloader", "run", "--"}, args...)...)
}

// hangKey returns the key with which the user marks a program as hung.
func hangKey() string { return term.Either(onWindows, "Ctrl-Break", `Ctrl-\`) }

// silence is the delay of the message about a run that lasts.
const silence = 5 * time.Second

// sayWait names the ways to end a run that has no time limit, once it lasts. The caller calls stop at the run's end.
func (h *hunt) sayWait() (stop func()) {
	if h.saidWait || h.Hangs > 0 || h.Enough > 0 {
		return func() {}
	}
	done := make(chan struct{})
	timer := time.AfterFunc(silence, func() {
		defer close(done)
		h.saidWait = true
		fmt.Fprintf(h.talk,
			"vkloader: run %d still runs: waiting for the program to end. If it hangs, press %s; --hangs-after TIME does that after a time\n",
			h.runs, hangKey())
	})
	return func() {
		if !timer.Stop() {
			<-done
		}
	}
}

// updates returns the advice for culprits that a variable of the user asks for: the fix is their update; "": there is
// none.
func (h *hunt) updates(culprits []run.Suspect) string {
	var texts []string
	for _, a := range h.scene.Answer.Active {
		by, asked := map[uint32]variables.ID{plan.ByVariable: variables.InstanceLayers,
			plan.ByEnable: variables.LayersEnable}[a.EnabledBy]
		for _, c := range culprits {
			if asked && c.Kind == run.Layer && c.Name == h.scene.Answer.Layers[a.Layer].Name {
				texts = append(texts,
					fmt.Sprintf("Update %s (%s), which %s asks for", c.Name, term.Or(c.Library, c.Manifest), by.Name()))
			}
		}
	}
	return strings.Join(texts, "; ")
}

// noteExits notes that runs without a crash ended with an exit code: then the program may not work there, either.
func (h *hunt) noteExits(found *run.CulpritSearch) {
	if found.First.Good {
		return
	}
	at := slices.IndexFunc(found.Runs,
		func(r run.Run) bool { return r.Good && strings.HasPrefix(r.What, exitWords) && r.What != exitWords+"0" })
	if at >= 0 {
		h.note(
			"without %s the program did not crash, but %s: it may not work. To count that as a failure: --fails-with exit",
			term.Or(strings.Join(found.Runs[at].Without, ", "), "a change"), found.Runs[at].What)
	}
}
