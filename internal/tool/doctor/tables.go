package doctor

import (
	_ "embed"
	"path"
	"slices"
	"strings"
	"sync"

	"vkloader/internal/tool/term"
)

//go:embed places.txt
var placesTable string

//go:embed names.txt
var namesTable string

// rowsOf returns the rows of a table with their columns, and empty ones after them.
func rowsOf(table string) (rows [][]string) {
	for line := range strings.Lines(table) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			rows = append(rows, term.Words(strings.Split(line+"||", "|"), strings.TrimSpace))
		}
	}
	return rows
}

// placeRows and nameLists are the tables, which are read at the first use.
var (
	placeRows = sync.OnceValue(func() [][]string { return rowsOf(placesTable) })
	nameLists = sync.OnceValue(func() map[string][]string {
		lists := map[string][]string{}
		for _, row := range rowsOf(namesTable) {
			lists[row[0]] = append(lists[row[0]], row[1:len(row)-2]...)
		}
		return lists
	})
)

// isNamed reports whether names.txt has a name in one of some lists.
func isNamed(name string, lists ...string) bool {
	return slices.ContainsFunc(lists, func(list string) bool { return slices.Contains(nameLists()[list], name) })
}

// pairValue returns the second name of the first pair in a list whose first name fits; "": none.
func pairValue(list string, is func(name string) bool) string {
	for pair := range slices.Chunk(nameLists()[list], 2) {
		if is(pair[0]) {
			return pair[1]
		}
	}
	return ""
}

// places returns the paths of places.txt for a purpose. values are names of placeholders and their values.
func (h host) places(purpose string, values ...string) (list []string) {
	for _, row := range placeRows() {
		if row[0] == purpose {
			list = append(list, h.expand(strings.NewReplacer(values...).Replace(row[1]))...)
		}
	}
	return list
}

// expand returns the paths that a pattern of places.txt stands for. Only names after a sign * are known to exist.
func (h host) expand(pattern string) []string {
	first, rest, _ := strings.Cut(pattern, "/")
	list := []string{""}
	if first == "~" {
		list[0] = h.ownHome()
	} else if name, is := strings.CutPrefix(first, "$"); is {
		list = slices.DeleteFunc(strings.Split(h.variable(name), ":"), func(place string) bool { return !path.IsAbs(place) })
	}
	for element := range strings.SplitSeq(rest, "/") {
		var below []string
		for _, at := range list {
			names := []string{element}
			if strings.Contains(element, "*") {
				names = slices.DeleteFunc(slices.Clone(h.machine.Names(at)), func(name string) bool {
					is, err := path.Match(element, name)
					return !is || err != nil
				})
			}
			below = append(below, term.Words(names, func(name string) string { return path.Join(at, "/", name) })...)
		}
		list = below
	}
	return list
}
