package explain

import (
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/decide/wording"
)

// Change is one action of the user: set or unset a variable, delete a file, or write a new one.
type Change struct {
	Variable string  `json:"name"`
	Value    string  `json:"value"`
	Set      bool    `json:"set"`
	File     string  `json:"-"`
	Text     string  `json:"-"` // of a new file; "": delete the file
	And      *Change `json:"-"` // a second change, made together with this one
}

// SetVariable returns the change that sets a variable.
func SetVariable(name, value string) Change { return Change{Variable: name, Value: value, Set: true} }

// UnsetVariable returns the change that unsets a variable.
func UnsetVariable(name string) Change { return Change{Variable: name} }

// RemoveFile returns the change that deletes a file.
func RemoveFile(file string) Change { return Change{File: file} }

// AddFile returns the change that writes a new file; text must not be empty.
func AddFile(file, text string) Change { return Change{File: file, Text: text} }

// Apply returns an environment with changes of variables applied.
func Apply(environ []string, changes []Change) []string {
	for _, c := range changes {
		if c.Set {
			environ = machine.WithVariable(environ, c.Variable, c.Value)
		} else {
			environ = machine.WithoutVariable(environ, c.Variable)
		}
	}
	return environ
}

// With joins two changes.
func (c Change) With(other Change) Change {
	c.And = &other
	return c
}

// Line returns the change as a line for a shell.
func (c Change) Line() shell.Line {
	return shell.Join(c.Lines(), andThen)
}

// Lines returns the parts of the change as lines for a shell.
func (c Change) Lines() (lines []shell.Line) {
	for at := &c; at != nil; at = at.And {
		lines = append(lines, at.line())
	}
	return lines
}

// IsAllowed reports whether a user may write the directories of the change's files. A missing directory is made in the
// first existing one above it.
func (c *Change) IsAllowed(m *machine.Machine, may func(directory string) bool) bool {
	for ; c != nil; c = c.And {
		directory := filepath.Dir(c.File)
		for !m.Exists(directory) && directory != filepath.Dir(directory) {
			directory = filepath.Dir(directory)
		}
		if c.File != "" && !may(directory) {
			return false
		}
	}
	return true
}

// Possible reports whether a shell can make the change: it cannot set a variable with an invalid name.
func (c Change) Possible() bool {
	return (c.File != "" || shell.IsName(c.Variable)) && (c.And == nil || c.And.Possible())
}

// Obeyed reports whether the loader of a source reads the variables that the change sets; another loader may ignore
// them. A loader of an unknown version counts as reading a variable that is set already.
func (c Change) Obeyed(source *machine.Source) bool {
	if c.Set && source.Loader != nil && !source.Loader.Obeys(c.Variable) {
		if _, set := source.Lookup(c.Variable); !set || !source.Loader.Reads(c.Variable) {
			return false
		}
	}
	return c.And == nil || c.And.Obeyed(source)
}

// On returns a source of facts after the change.
func (c Change) On(source *machine.Source) *machine.Source {
	after := *source
	switch {
	case c.Text != "":
		after.Added = maps.Clone(source.Added)
		if after.Added == nil {
			after.Added = map[string]string{}
		}
		after.Added[filepath.Clean(c.File)] = c.Text
	case c.File != "":
		after.Without = append(append([]string{}, source.Without...), c.File)
		after.Added = maps.Clone(source.Added)
		delete(after.Added, filepath.Clean(c.File))
	default:
		after.Environ = Apply(source.Environ, []Change{c})
	}
	if c.And != nil {
		return c.And.On(&after)
	}
	return &after
}

// AddToFilter returns alternative changes that add the names to a filter. A comma separates the entries of a filter, so
// a name with a comma is written as a pattern (ENV-35 to ENV-44). Several patterns fit such a name; there is one change
// for each pattern of the first such name.
func AddToFilter(source *machine.Source, filter variables.ID, names ...string) (changes []Change) {
	before, _ := source.Lookup(filter.Name())
	first, ways := slices.IndexFunc(names, func(name string) bool { return strings.Contains(name, ",") }), []string{""}
	if first >= 0 {
		ways = filterPatterns(names[first])
	}
	for _, way := range ways {
		entries := wording.Words(names, func(name string) string { return filterPatterns(name)[0] })
		if first >= 0 {
			entries[first] = way
		}
		if before != "" {
			entries = append([]string{before}, entries...)
		}
		changes = append(changes, SetVariable(filter.Name(), strings.Join(entries, ",")))
	}
	return changes
}

// filterPatterns returns the entries of a filter that select a name: the name, or patterns for a name with a comma.
func filterPatterns(name string) []string {
	if !strings.Contains(name, ",") {
		return []string{name}
	}
	parts := strings.Split(name, ",")
	ways := []string{parts[0] + "*", "*" + parts[len(parts)-1]}
	for _, part := range parts[1 : len(parts)-1] {
		ways = append(ways, "*"+part+"*")
	}
	return ways
}

// DropFromList returns a change, in a list of one, that removes the entries that meant accepts. The change unsets the
// variable if no entry remains. DropFromList returns nil if meant accepts no entry.
func DropFromList(source *machine.Source, list variables.ID, separator string, meant func(entry string) bool) []Change {
	return DropEntries(&source.Machine, list.Name(), separator, meant)
}

// DropEntries is DropFromList for a variable of any program. Each of the separators may separate its entries.
func DropEntries(m *machine.Machine, name, separators string, meant func(entry string) bool) []Change {
	before, _ := m.Lookup(name)
	entries := strings.FieldsFunc(before, func(r rune) bool { return strings.ContainsRune(separators, r) })
	kept := slices.DeleteFunc(slices.Clone(entries), meant)
	switch {
	case len(kept) == len(entries):
		return nil
	case len(kept) == 0:
		return []Change{UnsetVariable(name)}
	}
	return []Change{SetVariable(name, strings.Join(kept, separators[:1]))}
}

// ReplaceEntry returns the change that replaces an entry of a variable's list.
func ReplaceEntry(m *machine.Machine, name, separator, old, by string) Change {
	value, _ := m.Lookup(name)
	return SetVariable(name, strings.Join(wording.Words(strings.Split(value, separator), func(entry string) string {
		if entry == old {
			return by
		}
		return entry
	}), separator))
}

// DropFromFilter returns alternative changes that remove a name from a filter: one removes the matching entries, the
// other unsets the filter.
func DropFromFilter(source *machine.Source, filter variables.ID, name string) []Change {
	return append(DropFromList(source, filter, ",", func(entry string) bool { return plan.Matches(entry, name) }),
		UnsetVariable(filter.Name()))
}

// Trial tests changes on one machine. It reads each file of the machine once.
type Trial struct {
	source  *machine.Source // caches the files that it reads
	options []Option
	before  Selection
	results map[string]Selection // by the change's line; nil: no decision
}

// ItemKey names a driver or layer: a layer's name, or "", and its manifest.
type ItemKey struct{ Layer, Manifest string }

// Selection is the set of a program's drivers and layers.
type Selection map[ItemKey]bool

// trialEffort limits the files that all changes together read. On a machine with a hundred thousand manifests, Trial
// therefore tests only a few changes.
const trialEffort = 200_000

// triesLeast is the number of changes that Trial tests on any machine.
const triesLeast = 8

// NewTrial returns a trial on a machine with this decision, which was made with these options.
func NewTrial(source *machine.Source, answer *plan.Answer, options ...Option) *Trial {
	return &Trial{source: source.Keeping(), options: options, before: selectionOf(answer),
		results: map[string]Selection{}}
}

func selectionOf(answer *plan.Answer) Selection {
	s := Selection{}
	for _, l := range Active(answer) {
		s[LayerKey(l)] = true
	}
	for _, d := range answer.Drivers {
		s[ItemKey{Manifest: d.Path}] = true
	}
	return s
}

// LayerKey returns a layer's key.
func LayerKey(l *manifest.Layer) ItemKey { return ItemKey{l.Name, l.Manifest} }

// after returns the drivers and layers after a change; nil if the change cannot be tested.
func (t *Trial) after(c Change) Selection {
	line := string(c.Line())
	if known, done := t.results[line]; done {
		return known
	}
	if !c.Possible() || !c.Obeyed(t.source) ||
		len(t.results) >= max(triesLeast, trialEffort/(1+t.source.Kept.Files())) {
		return nil
	}
	t.results[line] = nil
	if answer, err := Decide(c.On(t.source), t.options...); err == nil {
		t.results[line] = selectionOf(answer)
	}
	return t.results[line]
}

// First returns the first change that puts a driver or layer in (or out) and alters nothing else; failing that, the
// first that puts it in (or out) at all. It returns false if there is none.
func (t *Trial) First(key ItemKey, in bool, changes ...Change) (Change, bool) {
	for _, strict := range []bool{true, false} {
		for _, c := range changes {
			if after := t.after(c); after != nil && after[key] == in && (!strict || t.only(key, after)) {
				return c, true
			}
		}
	}
	return Change{}, false
}

// only reports whether a program gets the same drivers and layers as before, apart from one.
func (t *Trial) only(key ItemKey, after Selection) bool {
	same := maps.Clone(after)
	if same[key] = true; !t.before[key] {
		delete(same, key)
	}
	return maps.Equal(same, t.before)
}
