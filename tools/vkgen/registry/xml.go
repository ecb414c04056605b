package registry

import (
	"encoding/xml"
	"fmt"
	"io"
	"slices"
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

// all returns the direct children with a name that belong to the "vulkan" API.
func (n *node) all(name string) []*node {
	return slices.DeleteFunc(slices.Clone(n.kids), func(k *node) bool { return k.name != name || !k.ours() })
}

// one returns the first of them, or nil.
func (n *node) one(name string) *node {
	return append(n.all(name), nil)[0]
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

// ours reports whether an element belongs to the "vulkan" API (no api attribute: to every API).
func (n *node) ours() bool {
	api, ok := n.attr["api"]
	return !ok || slices.Contains(strings.Split(api, ","), "vulkan")
}
