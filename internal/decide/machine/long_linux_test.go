package machine

import (
	"errors"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A path longer than the kernel's limit is an error at once, on this machine and below another root.
func TestLongPaths(t *testing.T) {
	t.Parallel()
	long := "/" + strings.Repeat("a/", 7_000_000)
	for _, m := range []*Machine{{}, {Root: t.TempDir()}} {
		began := time.Now()
		if _, err := m.Real(long); !errors.Is(err, syscall.ENAMETOOLONG) || time.Since(began) > 10*time.Second {
			t.Errorf("root %q: %T after %s", m.Root, err, time.Since(began))
		}
	}
}
