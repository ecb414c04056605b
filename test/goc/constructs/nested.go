package constructs

// boxes is a box in a box, and so on: comparing it recurses once for each box.
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

// EndlessEqual compares a million nested boxes, more than any C stack has room for.
func EndlessEqual() {
	a, b := inBoxes(1000000), inBoxes(1000000)
	println(a == b)
}

// NestedBoxes compares a few nested boxes.
func NestedBoxes() {
	a, b := inBoxes(20), inBoxes(20)
	println(a == b, a == inBoxes(21))
}

// DeepBoxes has as many nested boxes as fit on a small stack in optimized code.
func DeepBoxes() {
	a, b := inBoxes(40), inBoxes(40)
	println(a == b, a == inBoxes(41))
}
