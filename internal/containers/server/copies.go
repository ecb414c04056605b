package server

import (
	"cmp"
	"errors"
	"maps"
	"os"
	"slices"
	"sync"

	"vkloader/internal/containers/sealed"
)

// Limits of the memory in text files for the clients of one person.
const (
	maxCopies  = 64 << 20
	copyCharge = 32 << 10 // for the kernel's records of one file
)

// errCopies is the error of a client whose person holds too much memory.
var errCopies = errors.New("its user keeps too many indexes and inspect trees open")

// copies counts the memory of indexes and inspect trees for each person. A client may keep a file for longer than its
// connection, so a file counts until no process uses it.
type copies struct {
	mu      sync.Mutex
	people  map[person]int64 // bytes; a person without files is not in it
	ends    sealed.Watch
	watched map[int]charge // files that only clients use, by the number of their watch
	later   []unwatched    // files for which the kernel refused a watch
}

// charge is the memory of one file.
type charge struct {
	of    person
	bytes int64
}

// unwatched is a file that the service no longer needs, and that has no watch yet.
type unwatched struct {
	file *os.File
	charge
}

// make creates a sealed file of text and counts it for a person. release ends the service's own use of the file.
func (s *copies) make(of person, limit int64, name string, text []byte) (f *os.File, release func(), err error) {
	cost := charge{of, int64(len(text)) + copyCharge}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.people == nil {
		s.people, s.watched = map[person]int64{}, map[int]charge{}
	}
	s.sweep()
	if s.people[of]+cost.bytes > cmp.Or(limit, maxCopies) {
		return nil, nil, errCopies
	}
	created, err := sealed.Data(name, text)
	if err != nil {
		return nil, nil, err
	}
	defer created.Close()
	if f, err = sealed.Again(created); err != nil {
		return nil, nil, err
	}
	s.people[of] += cost.bytes
	return f, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.later = append(s.later, unwatched{f, cost})
		s.sweep()
	}, nil
}

// sweep closes the files without further use, and subtracts ended files from the count. The caller holds the lock.
func (s *copies) sweep() {
	s.later = slices.DeleteFunc(s.later, func(one unwatched) bool {
		number, err := s.ends.Add(one.file)
		if err != nil { // such as too many watches: tried again at the next call
			return false
		}
		s.watched[number] = one.charge
		one.file.Close()
		return true
	})
	// After an error, the files stay in the count.
	ended, _ := s.ends.Ended(func() []int { return slices.Collect(maps.Keys(s.watched)) })
	for _, number := range ended {
		cost, counted := s.watched[number]
		if !counted {
			continue
		}
		delete(s.watched, number)
		if s.people[cost.of] -= cost.bytes; s.people[cost.of] <= 0 {
			delete(s.people, cost.of)
		}
	}
}

// close ends the count.
func (s *copies) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, one := range s.later {
		one.file.Close()
	}
	s.later = nil
	_ = s.ends.Close()
}
