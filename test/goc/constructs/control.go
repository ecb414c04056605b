package constructs

// Loops has loops with labels.
func Loops() {
outer:
	for i := 0; i < 4; i++ {
		for j := 0; ; j++ {
			switch {
			case j == 3:
				continue outer
			case i == 2:
				break outer
			case j == 1:
				continue
			}
			print(i, j, " ")
		}
	}
	println()
	n := 0
again:
	n++
	if n < 5 {
		goto again
	}
	println(n)
	for i := range 10 {
		if i%2 == 0 {
			continue
		}
		if i > 6 {
			break
		}
		print(i)
	}
	println()
	for i, j := 0, 10; i < j; i, j = i+1, j-2 {
		print(i, "-", j, " ")
	}
	println()
	i := 0
	for i < 3 {
		i++
	}
	for {
		if i++; i > 10 {
			break
		}
	}
	println(i)
	goto end
end:
	println("end")
}

// Switches has switches of every kind.
func Switches() {
	for i := range 8 {
		switch i {
		case 0:
			print("zero ")
			fallthrough
		case 1:
			print("one ")
		case 2, 3:
			if i == 3 {
				break
			}
			print("two ")
		case 5:
			print("five ")
			fallthrough
		default:
			print("other ")
		case 6:
		}
		print(i, "; ")
	}
	println()
	switch s := opaque("b"); s {
	case "a", "b":
		println("ab")
	case "c":
		println("c")
	}
	switch x := opaque(5); {
	case x > 3:
		println("large")
	case x > 1:
		println("middle")
	}
	switch {
	}
	switch opaque(1.5) {
	case 1.5:
		println("half")
	}
	switch (pair{1, opaque("x")}) {
	case pair{1, "y"}:
		println("y")
	case pair{1, "x"}:
		println("x")
	}
}

// Swaps exchanges values in a loop.
func Swaps() {
	a, b, c := 1, 2, 3
	for range opaque(4) {
		a, b, c = b, c, a
		print(a, b, c, " ")
	}
	x, y := "x", "y"
	for i := range 5 {
		if i%2 == 0 {
			x, y = y, x+y
		} else {
			y, x = x, y
		}
	}
	println(x, y)
	p, q := &a, &b
	for range opaque(3) {
		p, q = q, p
		*p++
	}
	println(a, b, p == &b)
	s, t := []int{1}, []int{2, 3}
	for range opaque(3) {
		s, t = t, append(s, len(t))
	}
	show(s)
	show(t)
	f, g := 0, 1
	for range 50 {
		f, g = g, f+g
	}
	println(f)
	u, v := pair{1, "u"}, pair{2, "v"}
	for range opaque(3) {
		u, v = v, u
		u.a += v.a
	}
	println(u.a, u.b, v.a, v.b)
	yes, no := true, false
	for i := 0; i < 3; i++ {
		yes, no = no, yes
	}
	println(yes, no)
}

func choose(n int) (r int) {
	if n > 3 {
		if n > 6 {
			r = 1
		} else if n == 5 {
			r = 2
		}
	} else {
		for i := 0; i < n; i++ {
			if i == 2 {
				return -1
			}
			r += i
		}
	}
	return r * 10
}

func ackermann(m, n int) int {
	if m == 0 {
		return n + 1
	}
	if n == 0 {
		return ackermann(m-1, 1)
	}
	return ackermann(m-1, ackermann(m, n-1))
}

func even(n int) bool { return n == 0 || odd(n-1) }
func odd(n int) bool  { return n != 0 && even(n-1) }

// Branches has branches, and functions that call themselves and each other.
func Branches() {
	for n := range 9 {
		print(choose(n), " ")
	}
	println(ackermann(2, 3), even(10), odd(10))
}
