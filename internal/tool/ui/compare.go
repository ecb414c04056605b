package ui

import "slices"

// side is a column of the comparison.
type side struct {
	Title string
	Items []sideItem
	More  int
}

// sideItem is a layer in a column; Mark says what becomes of it.
type sideItem struct{ Name, Mark string }

// compare puts the layers without and with the draft into two columns.
func (c *chain) compare() {
	if c.After == nil {
		return
	}
	before, after := c.Before.layers(), c.After.layers()
	mark := func(list, other []string, alone string) (items []sideItem) {
		for _, name := range list {
			item := sideItem{Name: name}
			switch {
			case !slices.Contains(other, name):
				item.Mark = alone
			case moved(name, list, other):
				item.Mark = "moved"
			}
			items = append(items, item)
		}
		return items
	}
	c.Sides = []side{{Title: "Now", Items: mark(before, after, "goes")}, {Title: "With the change", Items: mark(after, before, "new")}}
	for i := range c.Sides {
		if s := &c.Sides[i]; len(s.Items) > maxRows {
			s.Items, s.More = s.Items[:maxRows], len(s.Items)-maxRows
		}
	}
}

// moved tells whether a layer has another place among those that both lists have.
func moved(name string, list, other []string) bool {
	if len(list) > maxRows*10 || len(other) > maxRows*10 {
		return false
	}
	place := func(list, other []string) int {
		n := 0
		for _, l := range list {
			if l == name {
				return n
			}
			if slices.Contains(other, l) {
				n++
			}
		}
		return -1
	}
	return place(list, other) != place(other, list)
}
