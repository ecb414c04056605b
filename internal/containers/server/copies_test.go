package server

import (
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
	"vkloader/internal/containers/sealed"
)

// A person's indexes and inspect trees count until no process has a descriptor (also one of O_PATH) or a mapping of them, also after
// the connection has ended. Other persons have their own count.
//
// holds: PRO-004
func TestCopiesAreCounted(t *testing.T) {
	t.Parallel()
	var s copies
	t.Cleanup(s.close)
	text, a, b := make([]byte, 1000), person{uid: 1}, person{uid: 2}
	const limit = 4 * (1000 + copyCharge)
	var kept []*os.File
	for range 4 {
		f, release, err := s.make(a, limit, "text", text)
		if err != nil {
			t.Fatal(err)
		}
		again, err := sealed.Again(f) // the client's
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { again.Close() })
		kept = append(kept, again)
		release()
	}
	if _, _, err := s.make(a, limit, "text", text); !errors.Is(err, errCopies) {
		t.Errorf("the fifth: %v", err)
	}
	if _, release, err := s.make(b, limit, "text", text); err != nil {
		t.Errorf("another person's: %v", err)
	} else {
		release()
	}
	mapped, err := unix.Mmap(int(kept[0].Fd()), 0, 1000, unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		t.Fatal(err)
	}
	kept[0].Close()
	if _, _, err := s.make(a, limit, "text", text); !errors.Is(err, errCopies) {
		t.Errorf("with a mapping: %v", err)
	}
	path, err := unix.Open(fmt.Sprintf("/proc/self/fd/%d", kept[1].Fd()), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		t.Fatal(err)
	}
	kept[1].Close()
	if err := unix.Munmap(mapped); err != nil {
		t.Fatal(err)
	}
	var f *os.File
	var release func()
	untilEnded(t, "one copy", func() (err error) {
		f, release, err = s.make(a, limit, "text", text)
		return err
	})
	if _, _, err := s.make(a, limit, "text", text); !errors.Is(err, errCopies) {
		t.Errorf("with a descriptor of O_PATH: %v", err)
	}
	again, err := sealed.Again(f)
	if err != nil {
		t.Fatal(err)
	}
	release()
	again.Close()
	if err := unix.Close(path); err != nil {
		t.Fatal(err)
	}
	for _, f := range kept {
		f.Close()
	}
	for _, of := range []person{a, b} {
		untilEnded(t, "all copies", func() error {
			_, release, err := s.make(of, limit, "text", text)
			if err == nil {
				release()
			}
			return err
		})
	}
	untilEnded(t, "the last copies", func() error {
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.sweep(); len(s.people)+len(s.watched)+len(s.later) != 0 {
			return fmt.Errorf("%v, %v, %v", s.people, s.watched, s.later)
		}
		return nil
	})
}

// untilEnded calls try until it has no error, at most a minute: a child that another test starts has the closed descriptors until it
// runs its program.
func untilEnded(t *testing.T, what string, try func() error) {
	t.Helper()
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		err := try()
		if err == nil {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after %s ended: %v", what, err)
		}
	}
}

// A client that keeps the descriptors of inspect trees and indexes, over any number of connections, gets no more above the bound,
// and gets more once it has closed them.
//
// holds: PRO-004
func TestKeptCopiesAreBounded(t *testing.T) {
	t.Parallel()
	const most = 8
	directory := service(t, nil, func(o *Options) { o.MaxCopies = most * (copyCharge + 4096) })
	var kept []*os.File
	refused := false
	for range 4 * most {
		c := dial(t, directory)
		files, err := c.Ask(protocol.Request{Method: protocol.Inspect}, nil)
		kept = append(kept, files...)
		c.Close()
		if err != nil {
			refused = err.Error() == protocol.ErrInternal.Error()
			break
		}
	}
	if !refused || len(kept) > 2*most {
		t.Errorf("%d copies, refused: %v", len(kept), refused)
	}
	for _, f := range kept {
		f.Close()
	}
	untilEnded(t, "the copies", func() error {
		c := dial(t, directory)
		defer c.Close()
		files, err := c.Ask(protocol.Request{Method: protocol.Inspect}, nil)
		protocol.Discard(files)
		return err
	})
}
