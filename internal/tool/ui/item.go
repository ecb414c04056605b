package ui

import (
	"errors"
	"slices"

	"vkloader/internal/tool/explain"
)

// itemPart is what is known of one layer or driver of a chain, and takes too long for all: who installed it, and what
// switches it.
var itemPart = &Page{Name: "item", Title: "Layer or driver", Data: itemOf}

func itemOf(r *Request) (any, error) {
	s, d, err := drafted(r)
	if err != nil {
		return nil, err
	}
	tool, err := d.tool(r)
	if err != nil {
		return nil, err
	}
	name, manifest := r.Ref("item"), r.Ref("manifest")
	e := &explained{}
	if err := tool.Run(r, append(s.args("explain", "--json"), "--", name)...).Decode(e); err != nil {
		return nil, err
	}
	is := func(e explain.Item) bool { return e.Name == name && e.Manifest == manifest }
	for _, list := range [][]explain.Item{e.In, e.Out} {
		if at := slices.IndexFunc(list, is); at >= 0 {
			return &list[at], nil
		}
	}
	return nil, errors.New("it is no longer in the chain")
}
