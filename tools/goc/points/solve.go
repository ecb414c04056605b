package points

import (
	"go/types"

	"golang.org/x/tools/go/ssa"

	"vkloader/tools/goc/program"
)

// object is memory that one place of the source allocates, a function, or a part of constant memory.
type object struct {
	number   int
	of       types.Type    // the type of the contents; of a slice's array, an element; of a map and of a function, its type
	constant string        // the package variable that refers to it; "" for changeable memory
	function *ssa.Function // of a closure
	content  int           // the node of its contents
	cut      *object       // constant memory as seen by a slice with an earlier end
}

// node is a growing set of objects, and the nodes that grow with it.
type node struct {
	of         types.Type // the type of its members; nil for every type
	has, done  set
	into       []int        // nodes that include it
	known      map[int]bool // the nodes in into
	loads      []int        // nodes that include the contents of its objects
	stores     []int        // nodes that are included in the contents of its objects
	cuts       []int        // nodes of slices of it that end early
	calls      []*ssa.Call  // calls of the functions in it
	accept     map[int]bool
	acceptsAny bool
	waiting    bool
}

// Analysis is the state of the analysis of a program.
type Analysis struct {
	program *program.Program
	kinds   kinds
	objects []*object
	nodes   []*node
	values  map[ssa.Value]int
	results map[*ssa.Function]int
	memory  map[any]*object // *constant.Object or *ssa.Function to its object
	queue   []int
	calls   map[*ssa.Function]map[*ssa.Function]bool
	targets map[*ssa.Call][]*ssa.Function
	changes map[*ssa.Function][]access
	reaches map[*ssa.Function][]access
}

func (a *Analysis) newNode(of types.Type) int {
	n := &node{of: of, acceptsAny: of == nil}
	if of != nil {
		n.accept = map[int]bool{}
		n.acceptsAny = a.kinds.leads(of, n.accept)
	}
	a.nodes = append(a.nodes, n)
	return len(a.nodes) - 1
}

// newObject adds an object that contains a value of a type.
func (a *Analysis) newObject(of types.Type) *object { return a.newHolder(of, of) }

// newMap adds the object of a map.
func (a *Analysis) newMap(of types.Type) *object {
	m := of.Underlying().(*types.Map)
	return a.newHolder(of, types.NewTuple(types.NewVar(0, nil, "", m.Key()), types.NewVar(0, nil, "", m.Elem())))
}

// newHolder adds the object for a reference of type of; the object contains values of type in.
func (a *Analysis) newHolder(of, in types.Type) *object {
	o := &object{number: len(a.objects), of: of, content: a.newNode(in)}
	a.objects = append(a.objects, o)
	return o
}

// takes reports whether a node may contain an object.
func (a *Analysis) takes(n *node, o *object) bool {
	if n.acceptsAny {
		return true
	}
	for part := range a.kinds.within(o.of) {
		if n.accept[part] {
			return true
		}
	}
	return false
}

func (a *Analysis) put(to int, o *object) {
	n := a.nodes[to]
	if n.has.has(o.number) || !a.takes(n, o) {
		return
	}
	n.has.add(o.number)
	a.wait(to)
}

func (a *Analysis) wait(i int) {
	if n := a.nodes[i]; !n.waiting {
		n.waiting = true
		a.queue = append(a.queue, i)
	}
}

// flow makes one node include another.
func (a *Analysis) flow(from, to int) {
	if from < 0 || to < 0 {
		return
	}
	n := a.nodes[from]
	if n.known[to] {
		return
	}
	if n.known == nil {
		n.known = map[int]bool{}
	}
	n.known[to] = true
	n.into = append(n.into, to)
	n.done.each(func(o int) { a.put(to, a.objects[o]) })
}

func (a *Analysis) load(address, to int) {
	if address < 0 || to < 0 {
		return
	}
	a.nodes[address].loads = append(a.nodes[address].loads, to)
}

func (a *Analysis) store(address, from int) {
	if address < 0 || from < 0 {
		return
	}
	a.nodes[address].stores = append(a.nodes[address].stores, from)
}

// solve propagates objects until no node grows.
func (a *Analysis) solve() {
	for len(a.queue) > 0 {
		i := a.queue[len(a.queue)-1]
		a.queue = a.queue[:len(a.queue)-1]
		n := a.nodes[i]
		n.waiting = false
		var fresh []*object
		n.has.each(func(o int) {
			if n.done.add(o) {
				fresh = append(fresh, a.objects[o])
			}
		})
		for _, o := range fresh {
			for _, to := range n.into {
				a.put(to, o)
			}
			for _, to := range n.cuts {
				if o.cut != nil {
					a.put(to, o.cut)
				} else {
					a.put(to, o)
				}
			}
			for _, to := range n.loads {
				a.flow(o.content, to)
			}
			for _, from := range n.stores {
				if o.constant == "" { // anything else is refused
					a.flow(from, o.content)
				}
			}
			if o.function != nil {
				for _, c := range n.calls {
					a.link(c, o.function)
				}
			}
		}
	}
}
