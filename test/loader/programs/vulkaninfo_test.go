package programs

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"vkloader/test/lib/machine"
)

// Removed from vulkaninfo's output before comparing: the loader's own values, and values that change from run to run.
var (
	instanceVersion = regexp.MustCompile(`(?m)^Vulkan Instance Version: .*\n`)
	// EXT-1 and the like: the loader's own extensions, with any drivers.
	ownExtension   = regexp.MustCompile(`(?m)^.*\bVK_(EXT_debug_report|EXT_debug_utils|KHR_portability_enumeration|LUNARG_direct_driver_loading)\b.*\n`)
	instanceCount  = regexp.MustCompile(`(?m)^Instance Extensions: count = \d+\n[-=]+\n`)
	budget         = regexp.MustCompile(`(?m)^.*\b(budget|usage|heapBudget|heapUsage)\b\s*[=:\[].*\n`)
	columnPadding  = regexp.MustCompile(`(?m) +: extension revision`)
	spaceAndCommas = regexp.MustCompile(`(?m),$`)
)

// comparable returns vulkaninfo's text without the loader's own values.
func comparable(text string) string {
	text = instanceVersion.ReplaceAllString(text, "")
	// Only in the instance's section: a layer's extensions of these names are compared.
	if start := instanceCount.FindStringIndex(text); start != nil {
		end := strings.Index(text[start[1]:], "\n\n")
		if end < 0 {
			end = len(text) - start[1]
		}
		section := ownExtension.ReplaceAllString(text[start[0]:start[1]+end+1], "")
		section = instanceCount.ReplaceAllString(section, "Instance Extensions:\n")
		text = text[:start[0]] + columnPadding.ReplaceAllString(section, " : extension revision") + text[start[1]+end+1:]
	}
	return budget.ReplaceAllString(text, "")
}

// newerWarning matches the warnings of a loader of version 1.4 to a program that asks for everything: it enables
// every extension, those of the loader included, and the newest version (DRV-088, LAY-132).
var newerWarning = regexp.MustCompile(`(?m)^WARNING: \[Loader Message\] Code 0 : (loader_scan_for_direct_drivers: The ` +
	`VK_LUNARG_direct_driver_loading extension was enabled but|Layer VK_LAYER_\w+ uses API version 1\.3 which is older ` +
	`than the application specified API version of 1\.4\.).*\n`)

func withoutNewer(text string) string {
	return newerWarning.ReplaceAllString(text, "")
}

// EXP-002, GPA-063: vulkaninfo prints the same as with Debian's libvulkan1, with a display, so that surfaces are included.
func TestVulkaninfoSameAsDebian(t *testing.T) {
	t.Parallel()
	stage := machine.New(t).OnLavapipe().WithX()
	version := libraryVersion(t)
	for _, args := range [][]string{{}, {"--summary"}} {
		t.Run(strings.Join(append([]string{"vulkaninfo"}, args...), " "), func(t *testing.T) {
			mine := stage.Run(machine.Ours(t), "vulkaninfo", args...)
			theirs := stage.Run(machine.Debians(t), "vulkaninfo", args...)
			mine.WantExit(t, 0)
			theirs.WantExit(t, 0)
			if !strings.Contains(mine.Out, "Vulkan Instance Version: "+version+"\n") {
				t.Errorf("it did not run on this loader, version %s:\n%.200s", version, mine.Out)
			}
			if strings.Contains(theirs.Out, "Vulkan Instance Version: "+version+"\n") {
				t.Error("the comparison did not run on Debian's loader")
			}
			if !strings.Contains(mine.Out, "llvmpipe") {
				t.Error("lavapipe's device is not listed")
			}
			if d := machine.Difference(comparable(theirs.Out), comparable(mine.Out)); d != "" {
				t.Errorf("- Debian's, + ours:\n%s", d)
			}
			if d := machine.Difference(theirs.Err, withoutNewer(mine.Err)); d != "" {
				t.Errorf("standard error: - Debian's, + ours:\n%s", d)
			}
		})
	}
	t.Run("vulkaninfo --json", func(t *testing.T) {
		mine, theirs := jsonOf(t, stage, machine.Ours(t)), jsonOf(t, stage, machine.Debians(t))
		if d := machine.Difference(theirs, mine); d != "" {
			t.Errorf("- Debian's, + ours:\n%s", d)
		}
		if !strings.Contains(mine, "llvmpipe") && !strings.Contains(mine, "VkPhysicalDeviceProperties") {
			t.Errorf("no device in it:\n%.300s", mine)
		}
	})
}

// jsonOf runs vulkaninfo --json, which writes to a file in the working directory.
func jsonOf(t *testing.T, s *machine.Stage, l machine.Loader) string {
	t.Helper()
	pattern := filepath.Join(s.Dir, "work", "*.json")
	for _, old := range glob(t, pattern) {
		os.Remove(old)
	}
	result := s.Run(l, "vulkaninfo", "--json")
	result.WantExit(t, 0)
	text := result.Out
	for _, file := range glob(t, pattern) {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		text += filepath.Base(file) + "\n" + string(data)
	}
	if len(text) < 1000 {
		t.Fatalf("%s: no JSON\n%s%s", result.Command, result.Out, result.Err)
	}
	text = ownExtension.ReplaceAllString(text, "")
	return spaceAndCommas.ReplaceAllString(budget.ReplaceAllString(text, ""), "")
}

func glob(t *testing.T, pattern string) []string {
	t.Helper()
	files, err := filepath.Glob(pattern)
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// libraryVersion returns the version in the built library's file name (EXP-002).
func libraryVersion(t *testing.T) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(filepath.Join(machine.Built(t), "libvulkan.so.1"))
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimPrefix(filepath.Base(real), "libvulkan.so.")
}
