package macos

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// sampled runs a macOS program on the null driver with the sample layer, and returns its standard output, its
// standard error, and the layer's file.
func sampled(t *testing.T, w *world.World, program string, arguments ...string) (out, said, counts string) {
	t.Helper()
	file := w.Path("counts")
	cmd := w.RunMacOS(program, append([]string{world.Library()}, arguments...)...)
	cmd.Dir = t.TempDir()
	cmd.Env = []string{"HOME=" + cmd.Dir, "PATH=/usr/bin:/bin", "VK_DRIVER_FILES=" + built(t, world.Slice()+"/drivers/null_icd.json"),
		"VK_LAYER_PATH=" + filepath.Dir(built(t, world.Slice()+"/layers/VkLayer_drawstats.json")), "VK_INSTANCE_LAYERS=VK_LAYER_VKLOADER_drawstats",
		"VK_IMPLICIT_LAYER_PATH=" + cmd.Dir, "VK_LOADER_DEBUG=layer", "DRAWSTATS_FILE=" + file}
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s\n%s", err, &stdout, &stderr)
	}
	written, _ := os.ReadFile(file) // absent: the layer had nothing to count
	return stdout.String(), stderr.String(), string(written)
}

// TestSamples runs a macOS program that creates an instance and a device, uses objects of every kind and waits for fences, on the null
// driver and through the sample layer, both built for macOS.
func TestSamples(t *testing.T) {
	t.Parallel()
	running(t)
	w := world.New(t)
	program := w.Path("program")
	sources, err := filepath.Glob(filepath.Join(world.Top(), "test/loader/null/program/*.c"))
	if err != nil || len(sources) == 0 {
		t.Fatalf("no program: %v", err)
	}
	compiled(t, append([]string{"-Wall", "-Wextra", "-Werror", "-I" + filepath.Join(world.Top(), "spine"), "-o", program}, sources...)...)
	out, said, _ := sampled(t, w, program, "life")
	if !strings.Contains(out+said, "no message\n") || !strings.Contains(said, "libVkLayer_drawstats.dylib") {
		t.Errorf("%s\n%s", out, said)
	}
}

// The sample layer counts the draws of a program.
func TestSampleLayerCounts(t *testing.T) {
	t.Parallel()
	running(t)
	w := world.New(t)
	program := w.Path("program")
	compiled(t, "-Wall", "-Wextra", "-Werror", "-I"+filepath.Join(world.Top(), "spine"), "-o", program, filepath.Join(world.Top(), "test/loader/drawstats/program/main.c"))
	out, _, counts := sampled(t, w, program, "3")
	want := strings.Split(strings.TrimSpace(out), "\n")
	numbers := regexp.MustCompile(`0x[0-9a-f]+|\d+`)
	var got []string
	for _, line := range strings.Split(counts, "\n") {
		if rest, is := strings.CutPrefix(line, "drawstats: command buffer "); is {
			got = append(got, strings.Join(numbers.FindAllString(rest, -1), " "))
		}
	}
	slices.Sort(want)
	slices.Sort(got)
	if !slices.Equal(got, want) || len(got) < 3 {
		t.Errorf("counted %q\nwant %q", got, want)
	}
}
