package plan

// filterLimits of ENV-41 and ENV-42.
const (
	filterEntries = 16
	filterLength  = 255
)

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

// parseFilter reads a list; words says that it is that of VK_LOADER_LAYERS_DISABLE, which has special words.
func parseFilter(list string, words bool) filter {
	var f filter
	for len(list) > 0 && len(f.entries) < filterEntries {
		end := 0
		for end < len(list) && list[end] != ',' {
			end++
		}
		entry := list[:end]
		list = list[end:]
		if len(list) > 0 {
			list = list[1:]
		}
		switch {
		case entry == "":
		case entry == "*" || entry == "**" || equalFold(entry, "~all~"):
			if words {
				f.all = true
			} else {
				f.entries = append(f.entries, filterEntry{matchAll, "", len(entry)})
			}
		case words && equalFold(entry, "~implicit~"):
			f.implicit = true
		case words && equalFold(entry, "~explicit~"):
			f.explicit = true
		case entry[0] == '~':
			f.entries = append(f.entries, filterEntry{how: matchNothing})
		default:
			f.entries = append(f.entries, parseEntry(entry))
		}
	}
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

// Filtered tells whether a filter list (ENV-35 to ENV-44) matches a name. Special words match nothing.
func Filtered(list, name string) bool {
	f := parseFilter(list, false)
	return f.matches(name)
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
