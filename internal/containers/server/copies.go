package server

import (
	"cmp"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"vkloader/internal/containers/sealed"
)

// Limits of the memory in files of text that were made for the clients of one person.
const (
	maxCopies   = 64 << 20
	copyCharge  = 32 << 10    // for the kernel's records of one file
	sweepPeriod = time.Second // between two looks at files that clients keep
)

// errCopies is the error of a client whose person holds too much memory.
var errCopies = errors.New("its user keeps too many indexes and inspect trees open")

// copies counts the memory of indexes and inspect trees for each person. A client may keep such a file for longer than its
// connection, so that a file counts until no other process has it open.
type copies struct {
	mu     sync.Mutex
	people map[person]*held
}

// held is the memory of one person.
type held struct {
	bytes int64
	files []*textCopy
	timer bool // a sweep will follow
}

// textCopy is a sealed file for one client.
type textCopy struct {
	file *os.File // for reading
	cost int64
	free bool // the service itself needs it no more
}

// make creates a sealed file of text and counts it for a person. release ends the service's own use of the file.
func (s *copies) make(of person, limit int64, name string, text []byte) (f *os.File, release func(), err error) {
	cost := int64(len(text)) + copyCharge
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.people == nil {
		s.people = map[person]*held{}
	}
	has := s.people[of]
	if has == nil {
		has = &held{}
		s.people[of] = has
	}
	limit = cmp.Or(limit, maxCopies)
	if has.bytes+cost > limit {
		has.sweep(nil)
	}
	if has.bytes+cost > limit {
		return nil, nil, errCopies
	}
	created, err := sealed.Data(name, text)
	if err != nil {
		return nil, nil, err
	}
	defer created.Close()
	if f, err = sealed.Again(created); err != nil { // the only descriptor, for sealed.Alone
		return nil, nil, err
	}
	one := &textCopy{file: f, cost: cost}
	has.files, has.bytes = append(has.files, one), has.bytes+cost
	return f, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		one.free = true
		has.sweep(one)
		s.later(of, has)
	}, nil
}

// later sweeps again after a while, as long as clients keep files. The caller holds the lock.
func (s *copies) later(of person, has *held) {
	switch {
	case len(has.files) == 0 && s.people[of] == has:
		delete(s.people, of)
	case !has.timer && slices.ContainsFunc(has.files, func(one *textCopy) bool { return one.free }):
		has.timer = true
		time.AfterFunc(sweepPeriod, func() {
			s.mu.Lock()
			defer s.mu.Unlock()
			has.timer = false
			has.sweep(nil)
			s.later(of, has)
		})
	}
}

// sweep closes unused files: one, or all.
func (h *held) sweep(only *textCopy) {
	h.files = slices.DeleteFunc(h.files, func(one *textCopy) bool {
		if !one.free || only != nil && one != only || !sealed.Alone(one.file) {
			return false
		}
		one.file.Close()
		h.bytes -= one.cost
		return true
	})
}
