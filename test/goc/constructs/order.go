package constructs

type counted struct {
	n    int
	list []int
	in   struct{ a, b int }
}

func (c *counted) next() int { c.n++; c.in.a++; return c.n }

func (c *counted) more() []int { c.list = append(c.list, c.n); return c.list }

func plus(x, y int) int { return x*100 + y }

// OrderOfReads reads variables in statements with calls that change other variables, and calls functions that change
// a variable which the same statement has read before, or a later one reads.
func OrderOfReads() {
	c := &counted{n: 1, list: []int{1, 2}}
	other := &counted{n: 5}
	println(len(c.list)+c.next(), c.in.b+c.next(), plus(c.in.b, c.next()))
	x := c.n
	y := x + c.next()
	println(x, y, c.next()+c.n)
	x += c.next()
	c.n += c.next()
	c.list = append(c.list, c.next(), c.next())
	println(x, c.n, len(c.list))
	println(len(c.more()))
	println(c.list[4])
	if c.n > 3 && c.next() > 4 || c.n < 0 {
		println(c.n)
	}
	switch c.n {
	case c.next():
		println("same")
	default:
		println("other", c.n)
	}
	a, b := c.next(), c.next()
	t := [2][]int{{c.next()}, {c.next(), len(other.list)}}
	println(a, b, c.next()*c.next()-other.next())
	println(t[0][0], t[1][1])
	for i := range c.list {
		c.list[i] = i + c.next()
	}
	sum := 0
	for c.next() < 40 {
		sum += c.n
	}
	println(sum, c.list[2])
}
