package doctor

import (
	"maps"
	"path"
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
)

// maxLooks is the maximum number of examinations for trying fixes. Each takes as long as the first examination.
const maxLooks = 24

// offer puts changes that may remove the finding before its last remedy.
func (f *Finding) offer(why aim, changes ...explain.Change) *Finding {
	for _, c := range changes {
		f.prefer(&Remedy{change: &c, aim: why, effect: effectOf(c)})
	}
	return f
}

// outlast sets the lasting fix that makes the offered changes unnecessary; nil: none.
func (f *Finding) outlast(do *Remedy) {
	for _, o := range f.remedies[:len(f.remedies)-1] {
		o.lasting = do
	}
}

// prefer puts remedies before the last one, which remains if they do not help.
func (f *Finding) prefer(remedies ...*Remedy) {
	f.remedies = slices.Insert(slices.Clip(f.remedies), len(f.remedies)-1, remedies...)
}

// key identifies a finding.
type key struct {
	code          Kind
	subject, path string
	entry         string // of a variable's list or of the registry, or the missing library
}

func (f *Finding) key() key {
	k := key{code: f.Code, subject: f.Subject, path: f.Path, entry: f.lacks()}
	switch what := f.fact.(type) {
	case misled:
		k.entry = what.Place + what.Layer
	case valueIn:
		k.entry = what.at.String()
	}
	return k
}

// removal is a fix that was tried.
type removal struct {
	of   int                   // the place of the finding that it removes
	left map[key]diag.Severity // the findings that remain
}

// engine completes the findings of a machine, of any system: it tries their fixes on copies of the facts, finds their
// causes, and weighs them.
type engine struct {
	report *Report
	word   func(*Remedy) *Remedy           // words the remedy that helps; nil: as it is
	exempt func() func(*Finding) exemption // nil: every fault counts

	before map[key]diag.Severity
	known  map[string]*outcome // of the tried changes, by the effect's name
}

// outcome is the result of a change.
type outcome struct {
	found    map[key]diag.Severity // the findings after the change; nil: unknown
	caused   map[key]diag.Severity // the findings that the change causes, or makes worse
	keeps    func(*Finding) bool
	followed map[Kind]bool // the codes of the removed findings among the removals
}

// complete completes the findings of the report.
func (g *engine) complete() {
	list := g.report.Findings
	removals := g.tryFixes(list)
	g.report.setCauses(hide(variableLinks), follow(removals), hide(driverLinks), certain)
	exempt := func(*Finding) exemption { return notExempt }
	if g.exempt != nil {
		exempt = g.exempt()
	}
	weigh(list, exempt, func(int) bool { return false })
}

// tryFixes tries the remedies of each finding on the whole examination, and leaves the first that helps. It returns the
// removals, which may take other findings along.
func (g *engine) tryFixes(list []Finding) (removals []removal) {
	g.before, g.known = map[key]diag.Severity{}, map[string]*outcome{}
	for f := range each(list) {
		k := f.key()
		if g.before[k] = f.Severity; f.Severity == diag.Warning {
			g.before[key{code: k.code, subject: k.subject}] = diag.Warning
		}
	}
	fixes := make([]*Remedy, len(list)) // by finding
	for i := range list {
		f := &list[i]
		chosen, what := g.choose(f)
		fixes[i] = chosen
		switch {
		case chosen == nil:
			f.conclude(g.confirm(f))
			continue
		case g.word != nil:
			f.conclude(g.word(chosen))
		default:
			f.conclude(chosen)
		}
		if f.Severity == diag.Warning && !g.ends(f, what, diag.Warning) {
			do := *f.last()
			do.fixes = false // the change would only replace this finding with another
			f.conclude(&do)
		}
		if f.Severity != diag.Note && !what.followed[f.Code] {
			what.followed[f.Code] = true
			removals = append(removals, removal{i, what.found})
		}
	}
	if g.word != nil {
		g.combine(list, fixes)
	}
	return removals
}

// combine gives findings whose fixes set one list of paths one fix with the entries of all, if that ends each of them.
// Otherwise the second change would undo the first. fixes are the findings' fixes; nil: none.
func (g *engine) combine(list []Finding, fixes []*Remedy) {
	by := map[string][]int{} // the findings, by the variable
	for i, do := range fixes {
		if do != nil && do.aim == fixing && do.change.And == nil && path.IsAbs(do.change.Value) {
			by[do.change.Variable] = append(by[do.change.Variable], i)
		}
	}
	for _, variable := range slices.Sorted(maps.Keys(by)) {
		var entries []string
		for _, at := range slices.Backward(by[variable]) {
			for entry := range strings.SplitSeq(fixes[at].change.Value, machine.ListSeparator) {
				if !slices.Contains(entries, entry) {
					entries = append(entries, entry)
				}
			}
		}
		change := explain.SetVariable(variable, strings.Join(entries, machine.ListSeparator))
		lasts := func(at int) bool { return !g.ends(&list[at], g.try(effectOf(change)), diag.Problem) }
		if len(by[variable]) == 1 || slices.ContainsFunc(by[variable], lasts) {
			continue
		}
		for _, at := range by[variable] {
			do := *fixes[at]
			do.change = &change
			list[at].conclude(g.word(&do))
		}
	}
}

// conclude sets the remedy of a finding after all were tried. It is the only function that does.
func (f *Finding) conclude(do *Remedy) { f.remedies = []*Remedy{do} }

// try examines the machine with a change.
func (g *engine) try(c *effect) *outcome {
	if known := g.known[c.name]; known != nil {
		return known
	}
	what := &outcome{followed: map[Kind]bool{}, caused: map[key]diag.Severity{}}
	if len(g.known) >= maxLooks {
		return what
	}
	list, keeps, possible := g.report.examineAfter(c)
	if !possible {
		return what
	}
	what.keeps, what.found = keeps, make(map[key]diag.Severity, len(list))
	for f := range each(list) {
		k := f.key()
		if f.Severity == diag.Note && g.before[k] > diag.Note {
			continue // the fault costs nothing any more
		}
		what.found[k] = f.Severity
		if f.Severity == diag.Warning { // two drivers of one device have one warning, of either
			k = key{code: k.code, subject: k.subject}
		}
		if before, had := g.before[k]; !had || before < f.Severity {
			what.caused[f.key()] = f.Severity
		}
	}
	g.known[c.name] = what
	return what
}

// ends reports whether a change removes a finding and causes none of a severity. A device's examination stops at its
// first fault, so a change may reveal the device's next one. A change of one filter does not help while another filter
// excludes the same driver.
func (g *engine) ends(f *Finding, what *outcome, severity diag.Severity) bool {
	if what.found == nil || what.keeps != nil && !what.keeps(f) {
		return false
	}
	for other, is := range what.caused {
		if is >= severity && (other.subject != f.Subject || !slices.Contains(ofHardware, f.Code)) {
			return false
		}
		if is == diag.Warning && other.subject == f.Subject && slices.Contains(filtered, f.Code) &&
			slices.Contains(filtered, other.code) {
			return false
		}
	}
	_, still := what.found[f.key()]
	return !still
}

// choose tries a finding's remedies except for the last one. It returns the first one that helps: one without a new
// warning, if there is one, and never one with a new problem.
func (g *engine) choose(f *Finding) (*Remedy, *outcome) {
	before := f.remedies[:len(f.remedies)-1]
	for _, severity := range []diag.Severity{diag.Warning, diag.Problem} {
		if severity == diag.Problem && f.Severity == diag.Note {
			break // a note is worth no warning
		}
		for _, do := range before {
			if what := g.try(do.effect); g.ends(f, what, severity) {
				return do, what
			}
		}
	}
	return nil, nil
}

// confirm returns a finding's last remedy. It tries one with a known effect, and replaces it by the table's if it does
// not help.
func (g *engine) confirm(f *Finding) *Remedy {
	do := f.last()
	if do == nil || do.effect == nil {
		return do
	}
	switch what := g.try(do.effect); {
	case what.found == nil:
		return do.withObstacle(outsideOnly)
	case g.ends(f, what, diag.Problem):
		return do
	}
	if c, is := f.Code.(Code); is {
		return newAdvice(c.Entry().Do)
	}
	return nil
}

// after examines the machine again with a change.
func (e *exam) after(c *effect) ([]Finding, func(*Finding) bool, bool) {
	options := e.options
	options.share = e.linker
	source, options, possible := c.on(e.source, options)
	if !possible {
		return nil, nil, false
	}
	again, err := look(source, options)
	if err != nil {
		return nil, nil, false
	}
	return again.Findings, nil, true
}

// isShellChange reports whether the user makes a change in a container's shell: it changes a file, or it unsets
// exported variables and no variable that was set at the container's start.
func (h host) isShellChange(c *explain.Change) bool {
	exported, file := false, false
	for ; c != nil; c = c.And {
		switch _, set := h.machine.Lookup(c.Variable); {
		case c.Variable == "":
			file = true
		case !set:
		case !h.isSetByShell(c.Variable):
			return false
		default:
			exported = true
		}
	}
	return exported || file
}

// place returns a change as a remedy for the place where the user makes it.
func (e *exam) place(do *Remedy) *Remedy {
	o := do.change
	t := placement{Change: *o, aim: do.aim, kind: e.kind("steam", "flatpak", "docker", "podman", "kubernetes")}
	if isContainer(t.kind) && (e.isShellChange(o) || e.isEntered()) {
		t.kind = "" // files change as usual, and a shell can unset an exported variable
	}
	t.image = isContainer(e.containerKind()) && !e.isEntered() && o.File != ""
	may := func(directory string) bool { return e.user.may(e.host, directory) }
	t.detail, t.root, t.shared = e.detail(t.kind), !o.IsAllowed(e.machine, may), e.system.kept
	_, set := e.machine.Lookup(o.Variable)
	if u := e.unit(); t.kind == "" && u.Name != "" && o.File == "" {
		t.kind = "service"
		if places := e.setIn(&u, o.Variable); len(places) > 0 && set {
			t.at = places[0]
		}
		for c := o; c != nil; c = c.And {
			e.setIn(&u, c.Variable)
		}
		t.unit = u
	}
	if t.at.File == "" {
		t.at, t.script = e.setAt(o.Variable, set)
	}
	real, err := e.machine.Real(t.at.File) // a file of a store or a read-only image (NixOS/nixpkgs issue 509225)
	t.sealed = err == nil && hasPrefixOf("sealed", real)
	if t.sealed && o.Set && e.keepsValue(t.at, o.Variable) {
		t.at, t.script = FileLine{}, false
	}
	t.script = t.script && o.File == "" && o.And == nil
	if (t.kind == "" || t.kind == "steam") && o.File == "" && set {
		if s := find(e.starters(), func(s *starter) bool { return slices.Contains(s.files, t.at.File) }); s != nil {
			t.sets = s.program
		}
	}
	for c := o; c != nil; c = c.And {
		t.ofHost = t.ofHost || e.isOfHost(c.File)
	}
	t.ofHost = t.ofHost || t.kind == "" && t.at.File != "" && e.isOfHost(t.at.File)
	change := t.remedy()
	if do.lasting == nil {
		return change
	}
	change.text = "Until then: " + change.text
	return do.lasting.before(change)
}

// changeAdvice returns a change as a remedy for the place where the user makes it.
func (e *exam) changeAdvice(c explain.Change) *Remedy {
	return e.place(&Remedy{change: &c, aim: fixing})
}

// keepsValue reports whether a line of a script sets a variable to a value with the one before.
func (e *exam) keepsValue(at FileLine, variable string) bool {
	lines := strings.Split(e.machine.Whole(at.File), "\n")
	return at.Number > 0 && at.Number <= len(lines) &&
		strings.Contains(strings.ReplaceAll(lines[at.Number-1], "{", ""), "$"+variable)
}

// setAt returns the first line that sets a variable to its value; without a file: unknown. script reports whether it is
// a line of a script that starts the program, or the tool.
func (e *exam) setAt(variable string, set bool) (at FileLine, script bool) {
	for _, a := range e.options.Bundle.Variables {
		if a.Name == variable && !a.Unset {
			at, script = FileLine{a.File, a.Line}, true
		}
	}
	if script || !set {
		return at, script
	}
	if at, known := e.lines[variable]; known {
		return at.FileLine, at.script
	}
	if places := SetIn(e.machine, variable); len(places) > 0 {
		at = places[0]
	} else {
		at = e.startedBy(variable, e.starters())
	}
	if by := e.setterOf(variable); at.File == "" && by != nil && (by.self || by.at.File != "") {
		at, script = by.at, by.at.File != ""
	} else if at.File == "" { // no parent is known to have set it
		at = e.startedBy(variable, []starter{{files: e.places("script")}})
		script = strings.HasPrefix(e.machine.Text(at.File), "#!")
	}
	e.lines[variable] = settingLine{at, script}
	return at, script
}

// settingLine is the line that sets a variable.
type settingLine struct {
	FileLine
	script bool // of a script that starts the program
}
