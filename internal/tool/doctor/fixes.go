package doctor

import (
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/decide/explain"
)

// maxLooks is the maximum number of examinations for trying fixes. Each takes as long as the first examination.
const maxLooks = 24

// offer is a change that may remove a finding.
type offer struct {
	explain.Change
	aim    aim
	result string // the effect of the change, when the user chooses among several; "": no choice
}

// offer adds changes that may remove the finding. Only a change that was tried and removes it becomes advice.
func (f *Finding) offer(why aim, changes ...explain.Change) *Finding {
	for _, c := range changes {
		f.offers = append(f.offers, offer{Change: c, aim: why})
	}
	return f
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

// fixed tries each offered change on the whole examination and returns the findings with the changes that help as advice, and
// the removals that may take other findings along. Advice with a known effect is tried likewise, and is dropped if it does not
// help.
func (e *exam) fixed() (list []Finding, removals []removal) {
	t := &trials{exam: e, before: map[key]diag.Severity{}, known: map[string]*outcome{}}
	list = slices.Clone(e.Findings)
	for i := range list {
		k := list[i].key()
		t.before[k] = list[i].Severity
		if list[i].Severity == diag.Warning {
			t.before[key{code: k.code, subject: k.subject}] = diag.Warning
		}
	}
	for i := range list {
		f := &list[i]
		var chosen []offer
		var what *outcome
		if !f.keep {
			chosen, what = t.chosen(f)
		}
		if chosen == nil {
			f.conclude(t.confirmed(f))
			continue
		}
		if f.conclude(e.tried(chosen...)); f.Severity != diag.Note && !what.followed[f.Code] {
			what.followed[f.Code] = true
			removals = append(removals, removal{i, what.found})
		}
	}
	return list, removals
}

// conclude sets the advice of a finding after its fixes were tried. It is the only function that does.
func (f *Finding) conclude(do advice) { f.advice, f.offers = do, nil }

// trials are the tried changes of one machine.
type trials struct {
	*exam
	before map[key]diag.Severity
	known  map[string]*outcome // by the effect's name
}

// outcome is the result of a change.
type outcome struct {
	found    map[key]diag.Severity // the findings after the change; nil: unknown
	caused   map[key]diag.Severity // the findings that the change causes, or makes worse
	followed map[Kind]bool         // the codes of the removed findings among the removals
}

// after examines the machine with a change.
func (t *trials) after(c *effect) *outcome {
	if known := t.known[c.name]; known != nil {
		return known
	}
	what := &outcome{followed: map[Kind]bool{}, caused: map[key]diag.Severity{}}
	if len(t.known) >= maxLooks {
		return what
	}
	options := t.options
	options.share = t.linker
	source, options, possible := c.on(t.source, options)
	if !possible {
		return what
	}
	if again, err := look(source, options); err == nil {
		what.found = make(map[key]diag.Severity, len(again.Findings))
		for f := range each(again.Findings) {
			what.found[f.key()] = f.Severity
			k := f.key()
			if f.Severity == diag.Warning { // two drivers of one device have one warning, of either
				k = key{code: k.code, subject: k.subject}
			}
			if before, had := t.before[k]; !had || before < f.Severity {
				what.caused[f.key()] = f.Severity
			}
		}
	}
	t.known[c.name] = what
	return what
}

// ends reports whether a change removes a finding and causes none of a severity. A device's examination stops at its first
// fault, so a change may reveal the device's next one. A change of one filter does not help while another filter excludes the
// same driver.
func (t *trials) ends(f *Finding, what *outcome, severity diag.Severity) bool {
	if what.found == nil {
		return false
	}
	for other, is := range what.caused {
		if is >= severity && (other.subject != f.Subject || !slices.Contains(ofHardware, f.Code)) {
			return false
		}
		if is == diag.Warning && other.subject == f.Subject && slices.Contains(filtered, f.Code) && slices.Contains(filtered, other.code) {
			return false
		}
	}
	_, still := what.found[f.key()]
	return !still
}

// chosen tries a finding's offered changes. It returns the first one that helps: one without a new warning, if there is one, and
// never one with a new problem. Further ones follow if the user has the choice.
func (t *trials) chosen(f *Finding) ([]offer, *outcome) {
	for _, severity := range []diag.Severity{diag.Warning, diag.Problem} {
		if severity == diag.Problem && f.Severity == diag.Note {
			break // a note is worth no warning
		}
		for i, c := range f.offers {
			what := t.after(effectOf(c.Change))
			if !t.ends(f, what, severity) {
				continue
			}
			choice := []offer{c}
			for _, other := range f.offers[i+1:] {
				if c.result != "" && t.ends(f, t.after(effectOf(other.Change)), severity) {
					choice = append(choice, other)
				}
			}
			return choice, what
		}
	}
	return nil, nil
}

// confirmed returns a finding's advice. It tries advice with a known effect, and replaces it by the table's if it does not help.
func (t *trials) confirmed(f *Finding) advice {
	do, is := f.advice.(told)
	if !is || do.effect == nil {
		return f.advice
	}
	switch what := t.after(do.effect); {
	case what.found == nil:
		return do.untried(outsideOnly)
	case t.ends(f, what, diag.Problem):
		return do
	}
	if c, is := f.Code.(*Code); is {
		return advised(c.Do)
	}
	return nil
}

// inShell reports whether the user makes a change in a container's shell: it changes a file, or it unsets exported variables
// and no variable that was set at the container's start.
func (h host) inShell(c *explain.Change) bool {
	exported, file := false, false
	for ; c != nil; c = c.And {
		switch _, set := h.machine.Lookup(c.Variable); {
		case c.Variable == "":
			file = true
		case !set:
		case !h.byShell(c.Variable):
			return false
		default:
			exported = true
		}
	}
	return exported || file
}

// tried returns the first of the changes that the user has the choice of, with the others and the place where the user makes it.
func (e *record) tried(choice ...offer) tried {
	o := choice[0]
	t := tried{Change: o.Change, aim: o.aim, kind: e.kind("steam", "flatpak", "docker", "podman", "kubernetes")}
	if inContainer(t.kind) && (e.inShell(&o.Change) || e.entered()) {
		t.kind = "" // files change as usual, and a shell can unset an exported variable
	}
	t.detail = e.detail(t.kind)
	if len(choice) > 1 {
		t.choice = choice
	}
	_, set := e.machine.Lookup(o.Variable)
	if u := e.unit(); t.kind == "" && u.Name != "" && o.File == "" {
		t.kind = "service"
		if places := e.setIn(&u, o.Variable); len(places) > 0 && set {
			t.at = places[0]
		}
		for _, other := range choice {
			for c := &other.Change; c != nil; c = c.And {
				e.setIn(&u, c.Variable)
			}
		}
		t.unit = u
	}
	if set && t.at.File == "" {
		t.at = e.setAt(o.Variable)
	}
	if (t.kind == "" || t.kind == "steam") && o.File == "" && set {
		t.sets = e.starterOf(t.at)
	}
	t.ofHost = e.changesHost(&o.Change) || t.kind == "" && t.at.File != "" && e.ofHost(t.at.File)
	return t
}

// setAt returns the first line that sets a variable to its value; without a file: unknown.
func (e *record) setAt(variable string) FileLine {
	at, known := e.lines[variable]
	if known {
		return at
	}
	if places := SetIn(e.machine, variable); len(places) > 0 {
		at = places[0]
	} else {
		at = e.startedBy(e.ownHome(), variable)
	}
	e.lines[variable] = at
	return at
}
