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
	s, err := subjectOf(r)
	if err != nil {
		return nil, err
	}
	d, err := draftOf(r, s)
	if err != nil {
		return nil, err
	}
	tool := r.Tool
	if !d.empty() {
		plan, err := d.plan(r)
		if err != nil {
			return nil, err
		}
		tool = seeing(tool, plan.Files)
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
	return nil, errors.New("it is not there any more")
}
