package plan

// FilterEntries is how many entries of a filter list count (ENV-41).
const FilterEntries = 16

// filterLength is how much of an entry counts (ENV-42).
const filterLength = 255

type match uint8

const (
	matchWhole match = iota
	matchStart
	matchEnd
	matchPart
	matchAll
	matchNothing
)

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

// Word is what an entry of a list is.
type Word uint8

// Words.
const (
	Pattern  Word = iota // a name, with stars or without
	All                  // everything
	Implicit             // implicit layers (VK_LOADER_LAYERS_DISABLE only)
	Explicit             // explicit layers (VK_LOADER_LAYERS_DISABLE only)
	Nothing              // a special word that this list does not have
)

// EachEntry gives f the entries of a list that count (ENV-41), in order; words says that it is that of
// VK_LOADER_LAYERS_DISABLE, which has special words: they do not use up its entries. rest is what does not count.
func EachEntry(list string, words bool, f func(entry string, word Word)) (rest string) {
	for count := 0; len(list) > 0 && count < FilterEntries; {
		end := 0
		for end < len(list) && list[end] != ',' {
			end++
		}
		entry := list[:end]
		list = list[end:]
		if len(list) > 0 {
			list = list[1:]
		}
		if entry == "" {
			continue
		}
		word := Pattern
		switch {
		case entry == "*" || entry == "**" || equalFold(entry, "~all~"):
			word = All
		case words && equalFold(entry, "~implicit~"):
			word = Implicit
		case words && equalFold(entry, "~explicit~"):
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

// parseFilter reads a list; words as for EachEntry.
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

// any tells whether the list has an entry at all.
func (f *filter) any() bool { return len(f.entries) > 0 || f.all || f.implicit || f.explicit }

// matches compares a name with the ordinary entries.
func (f *filter) matches(name string) bool {
	for i := range f.entries {
		e := &f.entries[i]
		n, t := len(name), len(e.text)
		hit := false
		switch e.how {
		case matchAll:
			hit = n >= e.least
		case matchWhole:
			hit = equalFold(name, e.text)
		case matchStart:
			hit = n >= t && equalFold(name[:t], e.text)
		case matchEnd:
			hit = n >= t && equalFold(name[n-t:], e.text)
		case matchPart:
			for at := 0; at+t <= n && !hit; at++ {
				hit = equalFold(name[at:at+t], e.text)
			}
		}
		if hit {
			return true
		}
	}
	return false
}

// disables tells whether the list takes a layer of a kind out, special words included (ENV-46).
func (f *filter) disables(name string, implicit bool) bool {
	return f.all || implicit && f.implicit || !implicit && f.explicit || f.matches(name)
}

func equalFold(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := 0; i < len(a); i++ {
		x, y := a[i], b[i]
		if x >= 'A' && x <= 'Z' {
			x += 'a' - 'A'
		}
		if y >= 'A' && y <= 'Z' {
			y += 'a' - 'A'
		}
		if x != y {
			return false
		}
	}
	return true
}

// Matches tells whether a name has an entry in a filter list (ENV-35 to ENV-44), the special words of
// VK_LOADER_LAYERS_DISABLE left aside.
func Matches(list, name string) bool {
	f := parseFilter(list, false)
	return f.matches(name)
}

// Disables tells whether a list, as that of VK_LOADER_LAYERS_DISABLE, takes a layer out, special words included (ENV-46).
func Disables(list, name string, implicit bool) bool {
	f := parseFilter(list, true)
	return f.disables(name, implicit)
}
