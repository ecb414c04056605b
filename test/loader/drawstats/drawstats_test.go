package drawstats

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

const (
	library  = "../../../build/layers/libVkLayer_drawstats.so"
	manifest = "../../../build/drivers/null_icd.json"
)

func absolute(t *testing.T, path string) string {
	t.Helper()
	p, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(p); err != nil {
		t.Fatalf("%v: build first, with make", err)
	}
	return p
}

func compile(t *testing.T, out string, files []string, flags ...string) string {
	t.Helper()
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "gcc"
	}
	args := []string{"-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-pthread", "-I../../../spine"}
	args = append(append(append(args, flags...), "-o", out), files...)
	if text, err := exec.Command(cc, args...).CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", out, err, text)
	}
	return out
}

// root creates a data directory in which the layer is registered as implicit or explicit.
func root(t *testing.T, kind, library string) string {
	t.Helper()
	name := map[string]string{"implicit": "VkLayer_drawstats_implicit.json", "explicit": "VkLayer_drawstats.json"}[kind]
	text, err := os.ReadFile("../../../layers/drawstats/" + name)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	directory := filepath.Join(dir, "vulkan", kind+"_layer.d")
	if err := os.MkdirAll(directory, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(directory, name), text, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(library, filepath.Join(directory, filepath.Base(library))); err != nil {
		t.Fatal(err)
	}
	return dir
}

// run runs the program and returns the expected counts, and the layer's output on standard error and in its file.
func run(t *testing.T, program, loader string, recordings int, env ...string) (want, talk, file []string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "stats")
	cmd := exec.Command(program, loader, fmt.Sprint(recordings))
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "VK_") && !strings.HasPrefix(v, "XDG_") {
			cmd.Env = append(cmd.Env, v)
		}
	}
	m := absolute(t, manifest)
	cmd.Env = append(cmd.Env, "VK_DRIVER_FILES="+m, "VK_ICD_FILENAMES="+m, "NODEVICE_SELECT=1")
	for _, v := range env {
		cmd.Env = append(cmd.Env, strings.ReplaceAll(v, "{file}", path))
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v\n%s", err, errs.String())
	}
	want = strings.Split(strings.TrimSpace(out.String()), "\n")
	text, err := os.ReadFile(path)
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return want, parse(t, errs.String()), parse(t, string(text))
}

var pattern = regexp.MustCompile(`^drawstats: command buffer (0x[0-9a-f]+): (\d+) draws, (\d+) instances, (\d+) vertices, ` +
	`(\d+) indirect draws$`)

func parse(t *testing.T, text string) (lines []string) {
	t.Helper()
	for _, line := range strings.Split(text, "\n") {
		if !strings.HasPrefix(line, "drawstats: command") {
			continue // a message of the loader, or about the file that cannot be opened
		}
		f := pattern.FindStringSubmatch(line)
		if f == nil {
			t.Fatalf("the layer wrote %q", line)
		}
		lines = append(lines, strings.Join(f[1:], " "))
	}
	return lines
}

// same compares lines in any order, since threads may be served in any order.
func same(t *testing.T, got, want []string) {
	t.Helper()
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("%d lines counted, %d wanted", len(got), len(want))
		for i := range min(len(got), len(want), 5) {
			t.Logf("got %s, want %s", got[i], want[i])
		}
	}
}

func TestCounts(t *testing.T) {
	program := compile(t, filepath.Join(t.TempDir(), "program"), []string{"program/main.c"})
	lib := absolute(t, library)
	loaders := map[string]string{"debian": "libvulkan.so.1"}
	if p, err := filepath.Abs("../../../build/libvulkan.so.1"); err == nil {
		if _, err := os.Stat(p); err == nil {
			loaders["ours"] = p
		}
	}
	implicit, explicit := root(t, "implicit", lib), root(t, "explicit", lib)
	ask := []string{"VK_INSTANCE_LAYERS=VK_LAYER_VKLOADER_drawstats", "VK_LAYER_PATH=" + filepath.Dir(lib)}
	for name, loader := range loaders {
		t.Run(name, func(t *testing.T) {
			for _, c := range []struct {
				name         string
				env          []string
				stderr, file bool
			}{
				{"not asked for", []string{"VK_LAYER_PATH=" + filepath.Dir(lib)}, false, false},
				{"to standard error", ask, true, false},
				{"to a file", append(slices.Clone(ask), "DRAWSTATS_FILE={file}"), false, true},
				{"file cannot be opened", append(slices.Clone(ask), "DRAWSTATS_FILE={file}/none"), true, false},
				{"found as explicit", []string{"XDG_DATA_HOME=" + explicit, ask[0]}, true, false},
				{"implicit, not switched on", []string{"XDG_DATA_HOME=" + implicit}, false, false},
				{"implicit, switched on", []string{"XDG_DATA_HOME=" + implicit, "ENABLE_DRAWSTATS_LAYER=1"}, true, false},
				{"implicit, switched on and off", []string{"XDG_DATA_HOME=" + implicit, "ENABLE_DRAWSTATS_LAYER=1",
					"DISABLE_DRAWSTATS_LAYER=1"}, false, false},
			} {
				t.Run(c.name, func(t *testing.T) {
					want, talk, file := run(t, program, loader, 20, c.env...)
					if len(want) != 4*22 {
						t.Fatalf("the program made %d recordings", len(want))
					}
					check := func(expected bool, got []string) {
						t.Helper()
						if expected {
							same(t, got, want)
						} else if len(got) > 0 {
							t.Errorf("%d lines where none should be", len(got))
						}
					}
					check(c.stderr, talk)
					check(c.file, file)
				})
			}
		})
	}
}

// TestSanitized records so many command buffers in several threads that the table grows, with driver, layer and
// program built with sanitizers.
func TestSanitized(t *testing.T) {
	for name, flags := range map[string][]string{
		"address, undefined": {"-fsanitize=address,undefined", "-fno-sanitize-recover=all"},
		"thread":             {"-fsanitize=thread"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			program := compile(t, filepath.Join(dir, "program"), []string{"program/main.c"}, flags...)
			layer := compile(t, filepath.Join(dir, filepath.Base(library)), []string{"../../../layers/drawstats/drawstats.c"},
				append(flags, "-fPIC", "-shared", "-fvisibility=hidden")...)
			want, talk, _ := run(t, program, "libvulkan.so.1", 1000, "XDG_DATA_HOME="+root(t, "implicit", layer),
				"ENABLE_DRAWSTATS_LAYER=1", "ASAN_OPTIONS=detect_leaks=0", "TSAN_OPTIONS=exitcode=66")
			same(t, talk, want)
		})
	}
}
