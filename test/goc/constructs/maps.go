package constructs

type key struct {
	a int
	b string
	_ int
	c [2]int8
}

type small int
type tiny int

// MapKeys has maps with every kind of key.
func MapKeys() {
	ints := map[int]string{1: "one", -1: "minus"}
	ints[1<<40] = "big"
	println(ints[1], ints[-1], ints[1<<40], ints[2] == "", len(ints))
	bools := map[bool]int{true: 1}
	bools[false]--
	println(bools[true], bools[false])
	bytes := map[uint8]int{}
	for i := range 600 {
		bytes[uint8(i)]++
	}
	println(len(bytes), bytes[10], bytes[200])
	runes := map[rune]int{'ä': 1}
	runes['ä']++
	println(runes['ä'], runes['a'])
	words := map[string]int{"": 7}
	for _, w := range []string{"a", "b", "a", "abcdefgh", "abcdefghi", "abcdefgh"} {
		words[w]++
	}
	println(words["a"], words["abcdefgh"], words["abcdefghi"], words[""], words["abcdefg"], len(words))
	keys := map[key]int{{1, "x", 5, [2]int8{1, 2}}: 1}
	keys[key{1, "x", 6, [2]int8{1, 2}}] += 10
	keys[key{1, "x", 5, [2]int8{1, 3}}] = 3
	println(len(keys), keys[key{a: 1, b: "x", c: [2]int8{1, 2}}])
	x, y := new(int), new(int)
	pointers := map[*int]string{x: "x", y: "y", nil: "nil"}
	println(pointers[x], pointers[y], pointers[nil], len(pointers))
	arrays := map[[3]string]int{{"a"}: 1, {"a", "b"}: 2}
	println(arrays[[3]string{"a", ""}], arrays[[3]string{"a", "b", ""}])
	zero := opaque(0.0)
	floats := map[float64]int{1.5: 1, 0: 2}
	floats[-zero]++
	floats[1/zero] = 9
	floats[zero/zero] = 1
	floats[zero/zero] = 2
	println(floats[0], floats[1.5], floats[1/zero], floats[zero/zero], len(floats))
	halves := map[float32]int{0.5: 1}
	println(halves[0.5], halves[0.25])
	first, second := map[small]string{1: "s"}, map[tiny]string{1: "t"}
	println(first[1], second[1])
	nested := map[string]map[string][]int{}
	for _, k := range []string{"a", "b", "a"} {
		if nested[k] == nil {
			nested[k] = map[string][]int{}
		}
		nested[k][k+k] = append(nested[k][k+k], len(nested))
	}
	println(len(nested), len(nested["a"]["aa"]), nested["c"]["cc"] == nil)
	structs := map[string]key{"k": {a: 3}}
	v := structs["k"]
	v.a = 4
	println(structs["k"].a, structs["none"].a, v.a)
}

// MapGrowth has growth.
func MapGrowth() {
	m := map[int]int{}
	for i := range 5000 {
		m[i*7] = i
	}
	println(len(m))
	sum := 0
	for i := range 40000 {
		if v, ok := m[i]; ok {
			sum += v
		}
	}
	println(sum)
	var none map[int]int
	v, ok := none[1]
	println(v, ok, len(none), none == nil, m == nil)
	big := make(map[string]int, opaque(1000))
	big["x"]++
	big["x"] += 5
	println(big["x"], len(big))
	alias := big
	alias["y"] = 1
	println(len(big))
	value, there := big["z"]
	println(value, there)
	if n, ok := big["y"]; ok {
		println(n)
	}
	c := make(map[int]int, opaque(-5))
	c[1] = 1
	println(len(c))
	funcs := map[string]func(int) int{"double": func(v int) int { return 2 * v }}
	println(funcs["double"](21), funcs["none"] == nil)
}

func PanicNilMap() { var m map[string]int; opaque(m)["x"] = 1 }
