package storm

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var builds = []struct {
	name, folder, flag string
	env                []string
}{
	{"plain", "build", "", nil},
	{"asan", "build/asan", "-fsanitize=address,undefined", []string{"ASAN_OPTIONS=detect_leaks=1:exitcode=77",
		"UBSAN_OPTIONS=halt_on_error=1:exitcode=77"}},
	// A thread sanitizer does not survive the unloading of a library.
	{"tsan", "build/tsan", "-fsanitize=thread", []string{"TSAN_OPTIONS=exitcode=77", "STORM_KEEP=1"}},
}

// holds: THR-001 THR-002 THR-004..009 GPA-067 GPA-068
//
// Two drivers (the null driver twice), eight threads, with and without an instance that all share. Any failed call, any
// report of a sanitizer, any leaked block of the library or the end of the time is a failure.
func TestStorm(t *testing.T) {
	top, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	manifest := filepath.Join(top, "build/drivers/null_icd.json")
	for _, b := range builds {
		library := filepath.Join(top, b.folder, "libvulkan.so.1")
		if _, err := os.Stat(library); err != nil {
			t.Fatalf("%v: run make asan tsan first", err)
		}
		program := filepath.Join(t.TempDir(), "storm-"+b.name)
		args := []string{"-std=c11", "-D_GNU_SOURCE", "-g", "-O1", "-Wall", "-Wextra", "-Werror", "-I" + filepath.Join(top, "spine"),
			"-o", program, filepath.Join(top, "test/bin/storm.c"), "-ldl", "-lpthread"}
		if b.flag != "" {
			args = append(args, b.flag)
		}
		if out, err := exec.Command("gcc", args...).CombinedOutput(); err != nil {
			t.Fatalf("gcc: %v\n%s", err, out)
		}
		for _, kind := range []string{"apart", "shared"} {
			t.Run(b.name+"/"+kind, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
				defer cancel()
				run := []string{library, "8", "1"}
				if kind == "shared" {
					run = append(run, kind)
				}
				cmd := exec.CommandContext(ctx, program, run...)
				home := t.TempDir()
				cmd.Env = append([]string{"HOME=" + home, "XDG_DATA_DIRS=" + home, "XDG_CONFIG_DIRS=" + home,
					"VK_IMPLICIT_LAYER_PATH=", "VK_DRIVER_FILES=" + manifest + ":" + manifest + "x.json:" + filepath.Dir(manifest)}, b.env...)
				out, err := cmd.CombinedOutput()
				if err != nil {
					t.Fatalf("%v\n%s", err, out)
				}
				if !strings.Contains(string(out), "failures 0 ") || strings.Contains(string(out), "lives 0 ") {
					t.Fatalf("%s", out)
				}
			})
		}
	}
}
