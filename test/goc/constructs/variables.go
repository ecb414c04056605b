package constructs

type entry struct {
	name string
	more []int
	at   *entry
	any  any
	call func(int) int
}

var (
	limit    = 40
	title    = "title"
	words    = [...]string{"zero", "one", 5: "five"}
	numbers  = []int{1, 2, 3}
	nobody   []int
	vacant   = []int{}
	first1   = entry{name: "first", more: []int{7, 8}, any: 5, call: double}
	entries  = []entry{{name: "second", at: &first1, any: "text"}, {any: &first1}}
	byName   = [2]*entry{&first1, nil}
	matrix   = [2][2]float64{{1, 2.5}, {-3, 1e300}}
	greeting = greet("you")
	fault    = error(&failure{"constant"})
	methods  = []func(*inner, int){(*inner).scale}
	nothing  struct{}
	table1   = makeTable()
	low      = int8(-128)
	flags    = map1{{"a", true}, {"b", false}}
	letters  = [26]bool{3: true}
)

type map1 []struct {
	key string
	on  bool
}

func greet(who string) *entry { return &entry{name: who, more: numbers} }

func makeTable() *[4]uint16 {
	t := new([4]uint16)
	t[0] = 10
	t[3] = 40
	return t
}

// Variables has package variables, and the values that their initial values refer to.
func Variables() {
	println(limit, title, len(words), words[1], words[3] == "", words[5])
	println(len(numbers), numbers[2], nobody == nil, vacant == nil, len(vacant))
	println(first1.name, first1.more[1], first1.at == nil, first1.any == any(5))
	println(first1.call(4))
	println(entries[0].name, entries[0].at.name, entries[0].at == &first1, entries[0].any == any("text"), entries[1].any == any(&first1))
	println(entries[0].call == nil, byName[0].name, byName[1] == nil, byName[0] == &first1)
	println(matrix[0][1], matrix[1][1], greeting.name, greeting.more[0], &greeting.more[0] == &numbers[0], fault != nil)
	i := inner{1, 2, ""}
	methods[0](&i, 5)
	println(i.x, nothing == struct{}{}, table1[0], table1[1], table1[3], low, flags[1].key, flags[0].on)
	println(letters[3], letters[4])
	for i, w := range words {
		if w != "" {
			print(i, w, " ")
		}
	}
	println()
}
