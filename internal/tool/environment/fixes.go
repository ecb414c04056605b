package environment

import (
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/variables"
	"vkloader/internal/tool/explain"
	"vkloader/internal/tool/machine"
)

// Fix is the change of a variable that ends a finding: the narrowest of those that were tried, each by looking at the
// variables again with it. False: none does.
func Fix(source *machine.Source, f *Finding) (explain.Change, bool) {
	var changes []explain.Change
	variables.Each(func(id variables.ID) {
		if id.Name() != f.Variable {
			return
		}
		separator, entry := machine.ListSeparator, f.Place
		if slices.Contains(filters, id) {
			separator = ","
			if meant := Corrected(f.Variable, source.Var(f.Variable, id.Secure()).Value); f.BareWord() {
				changes = append(changes, explain.SetVariable(f.Variable, meant))
			}
		}
		if f.Kind == NoLayer {
			entry = f.Layer
		}
		changes = append(changes, explain.DropFromList(source, id, separator, func(e string) bool { return e == entry })...)
	})
	before := problems(Check(source, nil))
	for _, c := range append(changes, explain.UnsetVariable(f.Variable)) {
		if !c.Possible() {
			continue
		}
		if after := Check(c.On(source), nil); !slices.ContainsFunc(after, f.same) && problems(after) <= before {
			return c, true
		}
	}
	return explain.Change{}, false
}

func problems(list []Finding) (count int) {
	for i := range list {
		if list[i].Code.Entry().Severity == diag.Problem {
			count++
		}
	}
	return count
}

// BareWord tells whether the entry of a filter that matches nothing is a special word without its tildes: the variable's value
// has that fault, too.
func (f *Finding) BareWord() bool {
	return f.Code == diag.VariableMatch && Corrected(f.Variable, f.Place) != f.Place
}

// same tells whether two findings are about the same fault.
func (f *Finding) same(other Finding) bool {
	return f.Code == other.Code && f.Kind == other.Kind && f.Variable == other.Variable && f.Place == other.Place && f.Layer == other.Layer
}
