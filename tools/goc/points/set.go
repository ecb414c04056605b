package points

import "math/bits"

// set is a set of objects by their numbers.
type set []uint64

func (s set) has(i int) bool { return i/64 < len(s) && s[i/64]>>(i%64)&1 != 0 }

// add adds i, and reports whether it is new.
func (s *set) add(i int) bool {
	for i/64 >= len(*s) {
		*s = append(*s, 0)
	}
	if s.has(i) {
		return false
	}
	(*s)[i/64] |= 1 << (i % 64)
	return true
}

func (s set) meets(other set) bool {
	for i := range min(len(s), len(other)) {
		if s[i]&other[i] != 0 {
			return true
		}
	}
	return false
}

// each calls do for the numbers, in order.
func (s set) each(do func(int)) {
	for i, word := range s {
		for ; word != 0; word &= word - 1 {
			do(i*64 + bits.TrailingZeros64(word))
		}
	}
}
