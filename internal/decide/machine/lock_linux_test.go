package machine

import (
	"errors"
	"path/filepath"
	"testing"
	"time"
)

// The wait for a lock has a limit, because every user who may read a directory can keep it locked.
func TestLockIsBounded(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	place := func() *Destination {
		p, err := (&Machine{}).PlaceOf(file, false)
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	holder, other := place(), place()
	defer other.Close()
	if err := holder.Lock(); err != nil {
		t.Fatal(err)
	}
	if err := other.lockWithin(50 * time.Millisecond); !errors.Is(err, ErrLocked) {
		t.Errorf("while it is locked: %v", err)
	}
	locked := make(chan error)
	go func() { locked <- other.lockWithin(time.Minute) }()
	holder.Close()
	if err := <-locked; err != nil {
		t.Errorf("after that: %v", err)
	}
}
