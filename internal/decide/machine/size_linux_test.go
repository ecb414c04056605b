package machine

import (
	"bytes"
	"os"
	"runtime"
	"testing"
)

// A file is read into memory of its size. A file of /proc, whose size is 0, is read completely.
func TestMemoryOfItsSize(t *testing.T) {
	t.Parallel()
	m := &Machine{Root: t.TempDir()}
	content := bytes.Repeat([]byte("x"), 4<<20)
	if err := os.WriteFile(m.Root+"/file", content, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, read := range map[string]func(string) ([]byte, error){"ReadFile": m.ReadFile, "ReadLarge": m.ReadLarge} {
		least := ^uint64(0) // other tests may allocate memory meanwhile
		for range 20 {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			data, err := read("/file")
			runtime.ReadMemStats(&after)
			if err != nil || !bytes.Equal(data, content) {
				t.Fatalf("%s: %v, %d bytes", name, err, len(data))
			}
			least = min(least, after.TotalAlloc-before.TotalAlloc)
		}
		if least > 5<<20 {
			t.Errorf("%s: %d bytes of memory for %d", name, least, len(content))
		}
	}
	if data, err := (&Machine{}).ReadLarge("/proc/self/maps"); err != nil || len(data) <= bytes.MinRead {
		t.Errorf("/proc: %v, %d bytes", err, len(data))
	}
}
