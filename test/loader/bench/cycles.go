package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// kinds are the repeated operations, in one process each.
var kinds = []struct{ operation, title string }{
	{"extensions", "instance extensions listed"},
	{"layers", "layers listed"},
	{"instance", "instance created and destroyed"},
	{"device", "device created and destroyed"},
	{"messenger", "messenger created and destroyed"},
	{"surface", "surface created, asked about and destroyed"},
	{"lists", "devices and groups listed"},
	{"names", "all names looked up on instance and device"},
	{"cycle", "enumerate, create, list, destroy"},
}

// held is the memory that a process holds at one moment.
type held struct {
	After    int `json:"after"`
	Blocks   int `json:"blocks"`
	Bytes    int `json:"bytes"`
	Resident int `json:"resident_kb"`
}

// repetition describes a process that repeats one operation: its memory after a tenth, half, and all of the repetitions.
type repetition struct {
	Title string  `json:"title"`
	Ours  [3]held `json:"vkloader"`
	Ref   [3]held `json:"reference"`
}

// repeat runs each operation that programs repeat, n times.
func (b *bench) repeat(s set, n int) ([]repetition, error) {
	var list []repetition
	for _, kind := range kinds {
		r := repetition{Title: kind.title}
		for library, to := range []*[3]held{&r.Ours, &r.Ref} {
			out, _, err := b.process(s.environ, 10*time.Minute, filepath.Join(b.programs, "cycles"), b.libraries[library],
				kind.operation, strconv.Itoa(n))
			if err != nil {
				return nil, err
			}
			lines := strings.Split(strings.TrimSpace(string(out)), "\n")
			if len(lines) != len(to) {
				return nil, fmt.Errorf("cycles prints %q", out)
			}
			for i, line := range lines {
				h := &to[i]
				if _, err := fmt.Sscanf(line, "after %d blocks %d bytes %d resident %d", &h.After, &h.Blocks, &h.Bytes, &h.Resident); err != nil {
					return nil, fmt.Errorf("cycles prints %q", line)
				}
			}
		}
		list = append(list, r)
	}
	return list, nil
}

// settled is the permitted growth of resident memory from half to all of the repetitions, in kB: the C library's free memory varies.
const settled = 512

// grew reports whether the process had more blocks at the end than after its warm-up, or went on taking memory.
func grew(h [3]held) bool {
	return h[2].Blocks > h[0].Blocks || h[2].Bytes > h[0].Bytes || h[2].Resident > h[1].Resident+settled
}
