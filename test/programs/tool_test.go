package programs

import (
	"debug/elf"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The tool itself: links nothing of Vulkan, and is run on nothing but its own library.
var toolAlone = loader{name: "no", folder: ""}

func TestToolLinksNoVulkan(t *testing.T) {
	t.Parallel()
	file, err := elf.Open(filepath.Join(built(t), "vkloader"))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	libraries, err := file.ImportedLibraries()
	if err != nil {
		t.Fatal(err)
	}
	for _, l := range libraries {
		if l != "libc.so.6" {
			t.Errorf("the tool needs %s", l)
		}
	}
}

// Without a driver the null driver is shown, and it is said so; without that it is a problem.
func TestInfoWithoutDriver(t *testing.T) {
	t.Parallel()
	stage := newStage(t).with("VK_DRIVER_FILES=/nonexistent.json")
	null := filepath.Join(built(t), "drivers/null_icd.json")
	tool := filepath.Join(built(t), "vkloader")
	shown := stage.run(toolAlone, tool, "info", "--fallback-driver", null)
	shown.wantExit(t, 0)
	for _, want := range []string{"no Vulkan driver that works", null, "null", "1 device"} {
		if !strings.Contains(shown.out, want) {
			t.Errorf("no %q in\n%s", want, shown.out)
		}
	}
	alone := stage.run(toolAlone, tool, "info")
	alone.wantExit(t, 1)
	if !strings.Contains(alone.out, "Problem: create instance failed with VK_ERROR_INCOMPATIBLE_DRIVER") {
		t.Errorf("got\n%s", alone.out)
	}
}

// A driver that kills its process kills the child; the tool says when and how.
func TestInfoOfCrashingDriver(t *testing.T) {
	t.Parallel()
	need(t, "gcc")
	stage := newStage(t)
	work := filepath.Join(stage.dir, "work")
	write(t, filepath.Join(work, "crash.c"), "__attribute__((constructor)) static void start(void) { *(volatile int *)8 = 1; }\n")
	stage.run(toolAlone, "gcc", "-shared", "-fPIC", "-o", "libcrash.so", "crash.c").wantExit(t, 0)
	manifest := filepath.Join(work, "crash.json")
	write(t, manifest, `{"file_format_version":"1.0.0","ICD":{"library_path":"./libcrash.so","api_version":"1.3.0"}}`)
	result := stage.with("VK_DRIVER_FILES="+manifest).run(toolAlone, filepath.Join(built(t), "vkloader"), "info")
	result.wantExit(t, 1)
	if !strings.Contains(result.out, "Problem: killed by SIGSEGV during: enumerate extensions") {
		t.Errorf("got\n%s\n%s", result.out, result.err)
	}
}

// What the tool says is in is what the library opens, with drivers that are left out for several reasons.
func TestListAgreesWithLibrary(t *testing.T) {
	t.Parallel()
	need(t, manifests+"/lvp_icd.x86_64.json")
	stage := newStage(t)
	broken := filepath.Join(stage.dir, "work", "broken.json")
	write(t, broken, `{"file_format_version":"1.0.0","ICD":`)
	stage = stage.with("VK_ADD_DRIVER_FILES="+broken, "VK_LOADER_DRIVERS_DISABLE=*hasvk*,radeon*")
	tool := filepath.Join(built(t), "vkloader")
	listed := stage.run(toolAlone, tool, "list", "drivers", "--json")
	listed.wantExit(t, 1) // the broken manifest is a problem
	var answer struct {
		Schema int
		Found  []struct {
			Path, Why, Statement string
			In                   bool
		}
	}
	if err := json.Unmarshal([]byte(listed.out), &answer); err != nil {
		t.Fatalf("%v\n%s", err, listed.out)
	}
	var in, opened []string
	for _, f := range answer.Found {
		if f.Why == "" || f.Statement == "" {
			t.Errorf("no reason for %+v", f)
		}
		if f.In {
			in = append(in, librariesOf(t, f.Path))
		}
	}
	log := stage.with("VK_LOADER_DEBUG=all", "LD_DEBUG=files").run(ours(t), "vulkaninfo", "--summary")
	for _, line := range strings.Split(log.err, "\n") {
		if _, path, ok := strings.Cut(line, "calling init: "); ok && strings.Contains(filepath.Base(path), "libvulkan_") &&
			!slices.Contains(opened, path) {
			opened = append(opened, path)
		}
	}
	slices.Sort(in)
	slices.Sort(opened)
	if !slices.Equal(in, opened) || len(in) == 0 {
		t.Errorf("the tool lists as used %v, the library opened %v\n%s", in, opened, listed.out)
	}
}

// librariesOf is what a Mesa manifest names.
func librariesOf(t *testing.T, manifest string) string {
	t.Helper()
	var content struct {
		ICD struct {
			Library string `json:"library_path"`
		}
	}
	if err := json.Unmarshal([]byte(read(t, manifest)), &content); err != nil {
		t.Fatal(fmt.Errorf("%s: %w", manifest, err))
	}
	return content.ICD.Library
}
