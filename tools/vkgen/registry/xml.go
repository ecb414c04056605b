package registry

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// node is an element, or a piece of text when its name is empty.
type node struct {
	name string
	attr map[string]string
	kids []*node
	text string
}

// readTree reads a whole document; the root's kids are the top-level elements.
func readTree(r io.Reader) (*node, error) {
	d := xml.NewDecoder(r)
	root := &node{name: "document"}
	stack := []*node{root}
	for {
		token, err := d.Token()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("malformed XML: %w", err)
		}
		top := stack[len(stack)-1]
		switch t := token.(type) {
		case xml.StartElement:
			n := &node{name: t.Name.Local, attr: make(map[string]string, len(t.Attr))}
			for _, a := range t.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			top.kids = append(top.kids, n)
			stack = append(stack, n)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			top.kids = append(top.kids, &node{text: string(t)})
		}
	}
	return root, nil
}

// all returns the direct children with a name.
func (n *node) all(name string) []*node {
	var out []*node
	for _, k := range n.kids {
		if k.name == name {
			out = append(out, k)
		}
	}
	return out
}

// one returns the first direct child with a name, or nil.
func (n *node) one(name string) *node {
	for _, k := range n.kids {
		if k.name == name {
			return k
		}
	}
	return nil
}

// flat returns all the text below, without comments, with white space collapsed.
func (n *node) flat() string {
	var b strings.Builder
	n.write(&b)
	return strings.Join(strings.Fields(b.String()), " ")
}

func (n *node) write(b *strings.Builder) {
	if n.name == "" {
		b.WriteString(n.text)
		return
	}
	if n.name == "comment" {
		return
	}
	for _, k := range n.kids {
		k.write(b)
	}
}

// textOf returns the text of the child with a name; "" if there is none.
func (n *node) textOf(name string) string {
	if k := n.one(name); k != nil {
		return k.flat()
	}
	return ""
}

// listHas reports whether a comma-separated list names an item.
func listHas(list, item string) bool {
	for _, s := range strings.Split(list, ",") {
		if s == item {
			return true
		}
	}
	return false
}

// ours reports whether an element belongs to the "vulkan" API (no api attribute: to every API).
func (n *node) ours() bool {
	api, ok := n.attr["api"]
	return !ok || listHas(api, "vulkan")
}
