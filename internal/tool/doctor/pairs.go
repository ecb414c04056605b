package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/search"
)

// wordSizes are what layers for 32-bit and for 64-bit programs have at the end of their names, where there is one of each.
var wordSizes = [...][2]string{{"_32", "_64"}, {"_x86", "_x86_64"}, {"_i386", "_x86_64"}, {"_i686", "_x86_64"}, {"32", "64"}}

// partner tells whether two names are those of a pair of layers, one for each word size.
func partner(a, b string) bool {
	return slices.ContainsFunc(wordSizes[:], func(ends [2]string) bool {
		for _, way := range [][2]string{ends, {ends[1], ends[0]}} {
			first, is := strings.CutSuffix(a, way[0])
			second, too := strings.CutSuffix(b, way[1])
			if is && too && first == second && first != "" {
				return true
			}
		}
		return false
	})
}

// sizeless is a layer's name without its word size.
func sizeless(name string) string {
	for _, end := range []string{"_32", "_64", "_i386", "_x86_64", "_x86"} {
		if rest, is := strings.CutSuffix(name, end); is {
			return rest
		}
	}
	return name
}

// besideOwn makes the findings about libraries for other programs notes where the same is there for these programs as well.
// A driver has the same library in another directory, as distributions do it. A layer has a manifest of the same name, or one of
// a pair, as Steam and overlays do it.
func (e *exam) besideOwn() {
	stem := func(m *Module) string {
		name, _, _ := strings.Cut(search.BaseName(m.Library), ".so")
		return name
	}
	for i := range e.Findings {
		f := &e.Findings[i]
		if f.Code != LibraryForeign {
			continue
		}
		modules, same := e.Layers, func(m Module) bool {
			return m.Good && (partner(m.Name, f.Subject) || sizeless(m.Name) == sizeless(f.Subject))
		}
		if at := slices.IndexFunc(e.Drivers, func(m Module) bool { return m.Manifest == f.Path }); at >= 0 {
			modules, same = e.Drivers, func(m Module) bool { return m.Good && stem(&m) == stem(&e.Drivers[at]) }
		}
		if slices.ContainsFunc(modules, same) {
			f.soften(diag.Note)
			f.advice = doNothingBesideOwn
		}
	}
}
