package constructs

// boxes is a box in a box, and so on: comparing and hashing it recurses once for each box.
type boxes struct {
	in any
	n  int // at the end, so that compilers do not turn the recursion into a loop
}

func inBoxes(n int) any {
	var out any = boxes{0, 0}
	for range n {
		out = boxes{out, 1}
	}
	return out
}

// EndlessEqual and EndlessHash compare and hash a million nested boxes, more than any C stack has room for.
func EndlessEqual() {
	a, b := inBoxes(1000000), inBoxes(1000000)
	println(a == b)
}

func EndlessHash() {
	m := map[any]int{}
	m[inBoxes(1000000)] = 1
	println(len(m))
}

// NestedBoxes compares and hashes a few nested boxes.
func NestedBoxes() {
	a, b := inBoxes(20), inBoxes(20)
	m := map[any]int{a: 7}
	println(a == b, a == inBoxes(21), m[b], len(m))
}

// DeepBoxes has as many nested boxes as fit on a small stack in optimized code.
func DeepBoxes() {
	a, b := inBoxes(40), inBoxes(40)
	m := map[any]int{a: 7}
	println(a == b, a == inBoxes(41), m[b], len(m))
}
