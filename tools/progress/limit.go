package main

import (
	"fmt"
	"math"
	"os"
	"runtime"
	"slices"
	"syscall"
	"time"
)

// packageLimit returns the time limit of a package: 25 minutes on an idle machine that is as fast as the reference.
func packageLimit(speed, load float64, processors int) time.Duration {
	limit := 25 * max(1, 1/speed) * (1 + load/float64(processors))
	return time.Duration(math.Ceil(min(limit, 24*60))) * time.Minute
}

// speed returns the speed of one processor, as a part of the reference's. It measures processor time, which does not
// depend on the load.
func speed() float64 {
	const reference = 0.1 // seconds
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	used := func() float64 {
		var u syscall.Rusage
		_ = syscall.Getrusage(1, &u) // RUSAGE_THREAD
		return float64(u.Utime.Nano()) / 1e9
	}
	before, numbers, next := used(), make([]int, 1<<20), uint32(1)
	for i := range numbers {
		next = next*1664525 + 1013904223
		numbers[i] = int(next)
	}
	slices.Sort(numbers)
	return reference / max(used()-before, 0.001)
}

// load returns the average number of running processes in the last minute; 0 if the system does not say.
func load() (load float64) {
	if text, err := os.ReadFile("/proc/loadavg"); err == nil {
		_, _ = fmt.Sscan(string(text), &load)
	}
	return load
}
