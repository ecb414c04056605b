package memory

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/internal/decide/vk"
	"vkloader/test/lib/world"
)

// cycles compiles the program that repeats an operation, and returns its path and the required environment.
func cycles(t *testing.T) (program string, environ []string) {
	t.Helper()
	if world.Variant() != "" {
		t.Skip("the sanitizers have a heap of their own")
	}
	program = filepath.Join(t.TempDir(), "cycles")
	source := filepath.Join(world.Top(), "test/loader/bench/program")
	args := []string{"-std=c11", "-D_GNU_SOURCE", "-O1", "-g", "-I" + filepath.Join(world.Top(), "spine"), "-o", program}
	for _, file := range []string{"cycles.c", "bench.c", "state.c", "operations.c"} {
		args = append(args, filepath.Join(source, file))
	}
	if err := world.CompileOpening(append(args, "-ldl")...); err != nil {
		t.Fatal(err)
	}
	var names strings.Builder
	for _, c := range vk.Commands {
		fmt.Fprintln(&names, c.Name)
	}
	list := filepath.Join(t.TempDir(), "names")
	if err := os.WriteFile(list, []byte(names.String()), 0o644); err != nil {
		t.Fatal(err)
	}
	return program, []string{"HOME=" + t.TempDir(), "BENCH_NAMES=" + list}
}

// repeat runs an operation count times in one process, and checks that no memory grows after the warm-up.
func repeat(t *testing.T, limit time.Duration, program, operation string, count int, environ []string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), limit)
	defer cancel()
	cmd := world.Command(ctx, program, world.Library(), operation, fmt.Sprint(count))
	cmd.Env = environ
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	var after, blocks, bytes, resident [3]int
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(after) {
		t.Fatalf("cycles prints %q", out)
	}
	for i, line := range lines {
		_, err := fmt.Sscanf(line, "after %d blocks %d bytes %d resident %d", &after[i], &blocks[i], &bytes[i], &resident[i])
		if err != nil {
			t.Fatalf("%v: %q", err, line)
		}
	}
	if after != [3]int{count / 10, count / 2, count} || blocks[0] == 0 {
		t.Fatalf("cycles prints %q", out)
	}
	if blocks[2] > blocks[0] || bytes[2] > bytes[0] || blocks[2] > blocks[1] || bytes[2] > bytes[1] {
		t.Errorf("the heap grows:\n%s", out)
	}
	if resident[2] > resident[0]+256 && !world.Emulated() {
		t.Errorf("resident memory grows:\n%s", out)
	}
}

// TestNothingGrows checks that repeated operations do not increase memory: after the warm-up, after half and after all of the
// repetitions, the heap has no more blocks and bytes, and the process has no more memory. The null driver and a layer are real
// libraries, opened and closed. "make bench" with -cycles 10000 does the same with more repetitions.
func TestNothingGrows(t *testing.T) {
	t.Parallel()
	program, environ := cycles(t)
	home := t.TempDir()
	environ = append(environ, "XDG_DATA_DIRS="+home, "XDG_CONFIG_DIRS="+home,
		"VK_DRIVER_FILES="+filepath.Join(world.Samples(), "drivers/null_icd.json"),
		"VK_LAYER_PATH="+filepath.Join(world.Samples(), "layers"),
		"VK_INSTANCE_LAYERS=VK_LAYER_VKLOADER_drawstats")
	for operation, count := range map[string]int{"extensions": 100, "layers": 100, "instance": 100, "cycle": 60,
		"lists": 1000, "device": 200, "messenger": 1000, "surface": 1000, "names": 20} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			repeat(t, 2*time.Minute, program, operation, count, environ)
		})
	}
}

// TestNothingGrowsInTenThousandCycles does the same in 10,000 cycles with all drivers and layers of this machine. Drivers without a
// device are opened and closed in each cycle.
func TestNothingGrowsInTenThousandCycles(t *testing.T) {
	t.Parallel()
	if os.Getenv("VKLOADER_TEST_ALL") == "" || world.Target() != "" {
		t.Skip("part of make test-all on this machine; VKLOADER_TEST_ALL=1 selects it")
	}
	program, environ := cycles(t)
	repeat(t, 20*time.Minute, program, "cycle", 10000, environ)
}
