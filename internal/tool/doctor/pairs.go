package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/core/diag"
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

// foreignLayers makes the findings about libraries for other programs notes where the layer is there for these programs as
// well, under the other name of a pair or under the same one: that is how Steam and overlays serve both word sizes.
func (e *exam) foreignLayers() {
	for i := range e.Findings {
		f := &e.Findings[i]
		if f.Code != LibraryForeign {
			continue
		}
		if slices.ContainsFunc(e.Layers, func(m Module) bool {
			return m.Good && m.Manifest != f.Path && (m.Name == f.Subject || partner(m.Name, f.Subject))
		}) {
			f.soften(diag.Note)
			f.advice = doNothingBesideOwn
		}
	}
}
