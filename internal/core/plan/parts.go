package plan

// partNode is a node of the tree of names; node 0 is the root, and child and sibling 0 mean none.
type partNode struct {
	child, sibling uint32
	fail           uint32 // the longest proper suffix of this node's text that is a node
	c              byte
	seen           bool
}

// partTree is the tree of characters that partsOf uses. Its first node is the root.
type partTree []partNode

func (t partTree) child(at uint32, c byte) uint32 {
	at = t[at].child
	for at != 0 && t[at].c != c {
		at = t[at].sibling
	}
	return at
}

// step returns the node of the longest suffix of a node's text followed by c.
func (t partTree) step(at uint32, c byte) uint32 {
	for {
		if next := t.child(at, c); next != 0 || at == 0 {
			return next
		}
		at = t[at].fail
	}
}

// partsOf reports which names occur in the text, in time linear in the lengths of the text and the names, with the
// algorithm of Aho and Corasick.
func partsOf(text string, names []string) []bool {
	tree := partTree{{seen: true}}
	ends := make([]uint32, len(names))
	for i, name := range names {
		at := uint32(0)
		for j := 0; j < len(name); j++ {
			next := tree.child(at, name[j])
			if next == 0 {
				next = uint32(len(tree))
				tree = append(tree, partNode{c: name[j], sibling: tree[at].child})
				tree[at].child = next
			}
			at = next
		}
		ends[i] = at
	}
	order := append(make([]uint32, 0, len(tree)), 0) // by length of text
	for i := 0; i < len(order); i++ {
		parent := order[i]
		for at := tree[parent].child; at != 0; at = tree[at].sibling {
			if parent != 0 {
				tree[at].fail = tree.step(tree[parent].fail, tree[at].c)
			}
			order = append(order, at)
		}
	}
	at := uint32(0)
	for i := 0; i < len(text); i++ {
		at = tree.step(at, text[i])
		tree[at].seen = true
	}
	for i := range order { // the suffixes of a text that occurs occur, too
		if n := &tree[order[len(order)-1-i]]; n.seen {
			tree[n.fail].seen = true
		}
	}
	found := make([]bool, len(names))
	for i, end := range ends {
		found[i] = tree[end].seen
	}
	return found
}
