package discover_test

import (
	"fmt"
	"testing"
	"testing/fstest"

	"golang.org/x/sys/unix"

	"vkloader/discover"
)

// usual is a machine with 4 drivers and 10 layers.
func usual() fstest.MapFS {
	files := fstest.MapFS{}
	for i := range 4 {
		files[fmt.Sprintf("usr/share/vulkan/icd.d/driver%d.json", i)] = manifest(fmt.Sprintf("libvulkan_%d.so", i))
	}
	for i := range 10 {
		name := fmt.Sprintf("VK_LAYER_maker_%d", i)
		files[fmt.Sprintf("usr/share/vulkan/implicit_layer.d/layer%d.json", i)] = layer(name, fmt.Sprintf(`,"disable_environment":{"NO_%d":"1"}`, i))
	}
	return files
}

// maxGarbage is the limit of allocations of one decision on this machine, in bytes.
const maxGarbage = 1 << 20

func BenchmarkDecide(b *testing.B) {
	host := discover.Root(below(b, usual()))
	b.ReportAllocs()
	before := processorTime(b)
	for b.Loop() {
		if _, err := discover.Decide(b.Context(), host, discover.Program{}); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(processorTime(b)-before)/float64(b.N), "cpu-ns/op")
}

// One decision on a machine with 4 drivers and 10 layers allocates at most 1 MB. Only the benchmark measures its time,
// because other tests run at the same time.
func TestGarbage(t *testing.T) {
	host := discover.Root(below(t, usual()))
	r := testing.Benchmark(func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if answer, err := discover.Decide(b.Context(), host, discover.Program{}); err != nil || len(answer.Drivers) != 4 || len(answer.Layers) != 10 {
				b.Fatal(answer, err)
			}
		}
	})
	if r.AllocedBytesPerOp() > maxGarbage || r.N == 0 {
		t.Errorf("%d bytes of garbage", r.AllocedBytesPerOp())
	}
}

// processorTime returns this process's processor time in nanoseconds. Other processes do not affect it.
func processorTime(b *testing.B) int64 {
	var usage unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return usage.Utime.Nano() + usage.Stime.Nano()
}
