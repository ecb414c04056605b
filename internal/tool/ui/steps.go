package ui

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
)

// says is what the draft says of a layer.
func (d *draft) says(name string) string {
	if at := slices.IndexFunc(d.entries, func(e entry) bool { return e.name == name }); at >= 0 {
		return d.entries[at].control
	}
	return ""
}

// set switches a layer; "" leaves it as it is without the draft.
func (d *draft) set(name, control string) {
	at := slices.IndexFunc(d.entries, func(e entry) bool { return e.name == name && e.control != "" })
	switch {
	case at >= 0 && control == "":
		d.entries = slices.Delete(d.entries, at, at+1)
	case at >= 0:
		d.entries[at].control = control
	case control != "":
		d.insert(entry{name, control})
	}
}

// insert adds an entry before the others, or at the end.
func (d *draft) insert(e entry) {
	at := slices.IndexFunc(d.entries, func(e entry) bool { return e.control == "" })
	if at < 0 {
		at = len(d.entries)
	}
	d.entries = slices.Insert(d.entries, at, e)
}

// do makes a step: on:NAME, off:NAME, usual:NAME, up:NAME, down:NAME or to:NAME:NAME, and says what it was. chain is the
// layers from the program down, as the page showed them.
func (d *draft) do(act string, chain []string) string {
	verb, rest, _ := strings.Cut(act, ":")
	first, second, _ := strings.Cut(rest, ":")
	name, err := url.QueryUnescape(first)
	target, wrong := url.QueryUnescape(second)
	if err != nil || wrong != nil || name == "" {
		return ""
	}
	from := slices.Index(chain, name)
	switch verb {
	case "on", "off":
		d.set(name, verb)
		return name + " is switched " + verb
	case "usual":
		d.set(name, "")
		return name + " is as it was before the change"
	case "up":
		return d.move(chain, from, from-1)
	case "down":
		return d.move(chain, from, from+1)
	case "to":
		return d.move(chain, from, slices.Index(chain, target))
	}
	return ""
}

// maxOrdered is how far down the chain layers can be put in order: an address has all of them.
const maxOrdered = 300

// move puts a layer in another place: the draft gets the layers down to the lower one of both, in their new order.
func (d *draft) move(chain []string, from, to int) string {
	if from < 0 || to < 0 || from >= len(chain) || to >= len(chain) || from == to {
		return ""
	}
	if max(from, to) > maxOrdered {
		return fmt.Sprintf("only the first %d layers can be put in order here; see vkloader settings order", maxOrdered)
	}
	order := slices.Clone(chain)
	name := order[from]
	order = slices.Insert(slices.Delete(order, from, from+1), to, name)
	var entries []entry
	for _, l := range order[:max(from, to)+1] {
		control := d.says(l)
		if control == "" || control == "off" {
			control = "auto"
		}
		entries = append(entries, entry{l, control})
	}
	listed := len(entries)
	for _, e := range d.entries {
		if e.control == "" || !slices.ContainsFunc(entries[:listed], func(o entry) bool { return o.name == e.name }) {
			entries = append(entries, e)
		}
	}
	d.entries = entries
	return fmt.Sprintf("%s is now layer %d of %d", name, to+1, len(chain))
}
