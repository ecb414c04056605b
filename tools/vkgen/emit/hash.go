package emit

import (
	"fmt"
	"sort"

	"vkloader/tools/vkgen/loader"
)

// table is a minimal perfect hash over the names of the known commands: a name's place is its command number.
type table struct {
	order []*loader.Command // by command number
	index map[string]int
	disp  []uint16 // by bucket
}

// Hash is the hash of znames.h: FNV-1a, 64 bits, its halves folded.
func Hash(name string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := 0; i < len(name); i++ {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return h ^ h>>29
}

func reduce(x uint32, n int) int { return int(uint64(x) * uint64(n) >> 32) }

func bucket(h uint64, buckets int) int { return reduce(uint32(h>>32), buckets) }

func place(h uint64, disp uint16, n int) int {
	x := uint32(h) + uint32(disp)*0x9e3779b1
	x = (x ^ x>>16) * 0x85ebca6b
	return reduce(x^x>>13, n)
}

func hashNames(s *loader.Set) (*table, error) {
	n := len(s.Commands)
	t := &table{order: make([]*loader.Command, n), index: map[string]int{}, disp: make([]uint16, n/3+1)}
	buckets := make([][]*loader.Command, len(t.disp))
	for _, c := range s.Commands {
		b := bucket(Hash(c.Name), len(buckets))
		buckets[b] = append(buckets[b], c)
	}
	bySize := make([]int, len(buckets))
	for i := range bySize {
		bySize[i] = i
	}
	sort.SliceStable(bySize, func(i, j int) bool { return len(buckets[bySize[i]]) > len(buckets[bySize[j]]) })
	for _, b := range bySize {
		if !t.settle(b, buckets[b]) {
			return nil, fmt.Errorf("no perfect hash found for %d names", n)
		}
	}
	return t, nil
}

// settle looks for the first displacement that puts all names of a bucket on free places.
func (t *table) settle(b int, names []*loader.Command) bool {
	for d := 0; d <= 0xffff; d++ {
		taken := make([]int, 0, len(names))
		for _, c := range names {
			p := place(Hash(c.Name), uint16(d), len(t.order))
			if t.order[p] != nil {
				break
			}
			t.order[p] = c
			taken = append(taken, p)
		}
		if len(taken) == len(names) {
			t.disp[b] = uint16(d)
			for i, c := range names {
				t.index[c.Name] = taken[i]
			}
			return true
		}
		for _, p := range taken {
			t.order[p] = nil
		}
	}
	return false
}
