package constructs

// boxes is a box in a box, and so on: comparing it or hashing it calls itself as often as there are boxes.
type boxes struct {
	in any
	n  int // which comes behind, so that no compiler makes a loop of the calls
}

func inBoxes(n int) any {
	var out any = boxes{0, 0}
	for range n {
		out = boxes{out, 1}
	}
	return out
}

// EndlessEqual and EndlessHash end after a million boxes, which is more than any stack of C has room for.
func EndlessEqual() {
	a, b := inBoxes(1000000), inBoxes(1000000)
	println(a == b)
}

func EndlessHash() {
	m := map[any]int{}
	m[inBoxes(1000000)] = 1
	println(len(m))
}

// NestedBoxes that are few are equal, and have one hash.
func NestedBoxes() {
	a, b := inBoxes(20), inBoxes(20)
	m := map[any]int{a: 7}
	println(a == b, a == inBoxes(21), m[b], len(m))
}

// DeepBoxes are as many as there is room for on a small stack, once a compiler has optimized.
func DeepBoxes() {
	a, b := inBoxes(40), inBoxes(40)
	m := map[any]int{a: 7}
	println(a == b, a == inBoxes(41), m[b], len(m))
}
