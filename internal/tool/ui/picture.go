package ui

import (
	"fmt"
	"html/template"

	"vkloader/internal/tool/graph"
)

// picturePart is the picture of a chain, with the draft in the address.
var picturePart = &Page{Name: "picture", Title: "Picture", Data: pictureOf}

// picture is what the part shows.
type picture struct {
	SVG     template.HTML // written by package graph, which escapes every name
	Problem string
}

// maxDrawn is how many layers or drivers a picture has.
const maxDrawn = 24

func pictureOf(r *Request) (any, error) {
	s, d, err := drafted(r)
	if err != nil {
		return nil, err
	}
	args := []string{"graph", "--json", "--timeout", "10s"}
	if !d.empty() || r.Query.Has("still") { // children would get the settings as they are now, or take too long
		args = append(args, "--still")
	}
	tool, err := d.tool(r)
	if err != nil {
		return nil, err
	}
	alone := *s
	alone.PID = 0
	ran := tool.Run(r, alone.args(args...)...)
	chain, ok := ran.Value.(*graph.Chain)
	if !ok {
		return nil, ran.Failed()
	}
	if n := len(chain.Layers) - maxDrawn; n > 0 {
		chain.Layers = append(chain.Layers[:maxDrawn:maxDrawn], graph.Layer{Name: fmt.Sprintf("and %d more layers", n), Meta: true, Why: "the list above has them"})
	}
	if n := len(chain.Drivers) - maxDrawn; n > 0 {
		chain.Drivers = append(chain.Drivers[:maxDrawn:maxDrawn], graph.Driver{Name: fmt.Sprintf("and %d more drivers", n)})
	}
	return &picture{SVG: template.HTML(graph.Fragment(chain)), Problem: chain.Problem}, nil
}
