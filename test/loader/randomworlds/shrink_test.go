package randomworlds

import (
	"maps"
	"slices"
	"strings"
)

// shrunk removes from a world every part without which it still fails in the same way, which fails reports: files, variables, words of
// the program, lines and words of scripts, members and elements of documents.
func shrunk(d *description, fails func(*description) bool) *description {
	for {
		before := d.String()
		for _, smaller := range []func(*description, func(*description) bool) *description{fewerFiles, fewerVariables, fewerWords, fewerLines, fewerMembers} {
			d = smaller(d, fails)
		}
		if d.String() == before {
			return d
		}
	}
}

// attempt makes a change to a copy, and returns the copy if it still fails.
func attempt(d *description, fails func(*description) bool, change func(*description)) *description {
	c := d.clone()
	change(c)
	if fails(c) {
		return c
	}
	return d
}

func fewerFiles(d *description, fails func(*description) bool) *description {
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		d = attempt(d, fails, func(c *description) { delete(c.files, path) })
	}
	for _, path := range slices.Sorted(maps.Keys(d.links)) {
		d = attempt(d, fails, func(c *description) { delete(c.links, path) })
	}
	return d
}

func fewerVariables(d *description, fails func(*description) bool) *description {
	for _, name := range slices.Sorted(maps.Keys(d.env)) {
		before := d
		if d = attempt(d, fails, func(c *description) { delete(c.env, name) }); d != before {
			continue
		}
		for _, separator := range []string{":", ","} {
			parts := strings.Split(d.env[name], separator)
			for i := len(parts) - 1; i >= 0 && len(parts) > 1; i-- {
				less := slices.Delete(slices.Clone(parts), i, i+1)
				before := d
				if d = attempt(d, fails, func(c *description) { c.env[name] = strings.Join(less, separator) }); d != before {
					parts = less
				}
			}
		}
	}
	return d
}

func fewerWords(d *description, fails func(*description) bool) *description {
	for _, of := range []func(*description) *[]string{
		func(c *description) *[]string { return &c.app.layers },
		func(c *description) *[]string { return &c.app.exts },
		func(c *description) *[]string { return &c.app.deviceExts },
		func(c *description) *[]string { return &c.app.direct },
		func(c *description) *[]string { return &c.app.with },
	} {
		for i := len(*of(d)) - 1; i >= 0; i-- {
			d = attempt(d, fails, func(c *description) { *of(c) = slices.Delete(slices.Clone(*of(c)), i, i+1) })
		}
	}
	d = attempt(d, fails, func(c *description) { c.app.flags = 0 })
	d = attempt(d, fails, func(c *description) { c.app.named = "" })
	if d.app.api != "" {
		d = attempt(d, fails, func(c *description) { c.app.api = "" })
	}
	return d
}

func fewerLines(d *description, fails func(*description) bool) *description {
	for _, name := range slices.Sorted(maps.Keys(d.scripts)) {
		before := d
		if d = attempt(d, fails, func(c *description) { delete(c.scripts, name) }); d != before {
			continue
		}
		for i := len(d.scripts[name]) - 1; i >= 0; i-- {
			d = attempt(d, fails, func(c *description) { c.scripts[name] = slices.Delete(slices.Clone(c.scripts[name]), i, i+1) })
		}
		for i, line := range d.scripts[name] {
			words := strings.Fields(line)
			for at := len(words) - 1; at > 1; at-- {
				if !strings.Contains(words[at], "=") || strings.HasPrefix(words[at], "name=") {
					continue
				}
				less := slices.Delete(slices.Clone(words), at, at+1)
				before := d
				d = attempt(d, fails, func(c *description) {
					c.scripts[name] = slices.Clone(c.scripts[name])
					c.scripts[name][i] = strings.Join(less, " ")
				})
				if d != before {
					words = less
				}
			}
		}
	}
	return d
}

// fewerMembers removes members and elements of documents, the outer ones first.
func fewerMembers(d *description, fails func(*description) bool) *description {
	for _, path := range slices.Sorted(maps.Keys(d.files)) {
		top := parseJSON(d.files[path])
		if top == nil {
			continue
		}
		if text := top.String(); text != d.files[path] {
			before := d
			if d = attempt(d, fails, func(c *description) { c.files[path] = text }); d == before {
				continue // the spelling matters
			}
		}
		again := func() bool {
			before := d
			d = attempt(d, fails, func(c *description) { c.files[path] = top.String() })
			return d != before
		}
		top.less(again)
	}
	return d
}

// less tries to remove each part of a value; fails reports whether the rest still fails.
func (v *value) less(fails func() bool) {
	for i := len(v.members) - 1; i >= 0; i-- {
		all := v.members
		if v.members = slices.Delete(slices.Clone(all), i, i+1); !fails() {
			v.members = all
		}
	}
	for i := len(v.items) - 1; i >= 0; i-- {
		all := v.items
		if v.items = slices.Delete(slices.Clone(all), i, i+1); !fails() {
			v.items = all
		}
	}
	for _, m := range v.members {
		m.less(fails)
	}
	for _, item := range v.items {
		item.less(fails)
	}
}

// String formats a value on one line.
func (v *value) String() string {
	var parts []string
	switch v.kind {
	case 'o':
		for _, m := range v.members {
			parts = append(parts, quote(m.name)+":"+m.value.String())
		}
		return "{" + strings.Join(parts, ",") + "}"
	case 'a':
		for _, item := range v.items {
			parts = append(parts, item.String())
		}
		return "[" + strings.Join(parts, ",") + "]"
	case 's':
		return quote(v.text)
	case 'n':
		return v.text
	}
	return map[byte]string{'t': "true", 'f': "false"}[v.kind] + map[byte]string{'z': "null"}[v.kind]
}
