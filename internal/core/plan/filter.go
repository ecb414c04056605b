package plan

import (
	"strings"

	"vkloader/internal/core/document"
)

// FilterEntries is the number of entries of a filter list that are used (ENV-41).
const FilterEntries = 16

// filterLength is the number of bytes of an entry that are used (ENV-42).
const filterLength = 255

// match tells which part of a name an entry's text must equal.
type match uint8

const (
	matchWhole match = iota
	matchStart
	matchEnd
	matchPart
	matchAll
	matchNothing
)

// filterEntry is one name or pattern of a filter list.
type filterEntry struct {
	how   match
	text  string
	least int // shorter names do not match (ENV-44)
}

// filter is a filter list of ENV-35 to ENV-44.
type filter struct {
	entries                 []filterEntry
	all, implicit, explicit bool // special words, of VK_LOADER_LAYERS_DISABLE only
}

// Word is the meaning of an entry.
type Word uint8

// Words.
const (
	Pattern  Word = iota // a name, with or without stars
	All                  // everything
	Implicit             // implicit layers (VK_LOADER_LAYERS_DISABLE only)
	Explicit             // explicit layers (VK_LOADER_LAYERS_DISABLE only)
	Nothing              // a special word that has no meaning in this list
)

// EachEntry calls f for the entries of a list that are used (ENV-41), in order. words is set for the list of
// VK_LOADER_LAYERS_DISABLE, whose special words do not count toward the limit. rest is the unused part of the list.
func EachEntry(list string, words bool, f func(entry string, word Word)) (rest string) {
	for count := 0; len(list) > 0 && count < FilterEntries; {
		entry, others, _ := strings.Cut(list, ",")
		list = others
		if entry == "" {
			continue
		}
		word := Pattern
		switch {
		case entry == "*" || entry == "**" || document.EqualFold(entry, "~all~"):
			word = All
		case words && document.EqualFold(entry, "~implicit~"):
			word = Implicit
		case words && document.EqualFold(entry, "~explicit~"):
			word = Explicit
		case entry[0] == '~':
			word = Nothing
		}
		if !words || word == Pattern || word == Nothing {
			count++
		}
		f(entry, word)
	}
	return list
}

// parseFilter parses a list; words as for EachEntry.
func parseFilter(list string, words bool) filter {
	var f filter
	EachEntry(list, words, func(entry string, word Word) {
		switch {
		case word == All && words:
			f.all = true
		case word == All:
			f.entries = append(f.entries, filterEntry{matchAll, "", len(entry)})
		case word == Implicit:
			f.implicit = true
		case word == Explicit:
			f.explicit = true
		case word == Nothing:
			f.entries = append(f.entries, filterEntry{how: matchNothing})
		default:
			f.entries = append(f.entries, parseEntry(entry))
		}
	})
	return f
}

func parseEntry(entry string) filterEntry {
	e := filterEntry{how: matchWhole}
	if entry[0] == '*' {
		e.how = matchEnd
		entry = entry[1:]
	}
	if last := len(entry) - 1; entry[last] == '*' {
		if e.how == matchEnd {
			e.how = matchPart
		} else {
			e.how = matchStart
		}
		entry = entry[:last]
	}
	e.text = entry[:min(len(entry), filterLength)]
	return e
}

// any reports whether the list has an entry.
func (f *filter) any() bool { return len(f.entries) > 0 || f.all || f.implicit || f.explicit }

// matches reports whether a name matches an entry that is not a special word.
func (f *filter) matches(name string) bool {
	for i := range f.entries {
		e := &f.entries[i]
		n, t := len(name), len(e.text)
		hit := false
		switch e.how {
		case matchAll:
			hit = n >= e.least
		case matchWhole:
			hit = document.EqualFold(name, e.text)
		case matchStart:
			hit = n >= t && document.EqualFold(name[:t], e.text)
		case matchEnd:
			hit = n >= t && document.EqualFold(name[n-t:], e.text)
		case matchPart:
			for at := 0; at+t <= n && !hit; at++ {
				hit = document.EqualFold(name[at:at+t], e.text)
			}
		}
		if hit {
			return true
		}
	}
	return false
}

// disables reports whether the list disables a layer, special words included (ENV-46).
func (f *filter) disables(name string, implicit bool) bool {
	return f.all || implicit && f.implicit || !implicit && f.explicit || f.matches(name)
}

// Matches reports whether a name matches a filter list (ENV-35 to ENV-44), ignoring the special words of
// VK_LOADER_LAYERS_DISABLE.
func Matches(list, name string) bool {
	f := parseFilter(list, false)
	return f.matches(name)
}

// Disables reports whether a list of VK_LOADER_LAYERS_DISABLE disables a layer, special words included (ENV-46).
func Disables(list, name string, implicit bool) bool {
	f := parseFilter(list, true)
	return f.disables(name, implicit)
}
