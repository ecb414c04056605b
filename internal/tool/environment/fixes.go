package environment

import (
	"slices"

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
		}
		if f.Kind == NoLayer {
			entry = f.Layer
		}
		changes = append(changes, explain.DropFromList(source, id, separator, func(e string) bool { return e == entry })...)
	})
	for _, c := range append(changes, explain.UnsetVariable(f.Variable)) {
		if c.Possible() && !slices.ContainsFunc(Check(c.On(source)), f.same) {
			return c, true
		}
	}
	return explain.Change{}, false
}

// same tells whether two findings are about the same fault.
func (f *Finding) same(other Finding) bool {
	return f.Code == other.Code && f.Kind == other.Kind && f.Variable == other.Variable && f.Place == other.Place && f.Layer == other.Layer
}
