package doctor

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

// The cost of an examination is proportional to its findings: with eight times as many missing manifests, it allocates at
// most ten times as much memory.
func TestWorkGrowsWithFindings(t *testing.T) { // not parallel: it counts allocations
	const few, many = 500, 4000
	for _, c := range []struct {
		name string
		lay  func(root string, count int) (environ []string)
	}{
		{"dangling links", func(root string, count int) []string {
			directory := filepath.Join(root, "usr/share/vulkan/icd.d")
			for i := range count {
				if err := os.Symlink(fmt.Sprintf("/gone/%d.json", i), filepath.Join(directory, fmt.Sprintf("%d.json", i))); err != nil {
					t.Fatal(err)
				}
			}
			return nil
		}},
		{"a variable", func(_ string, count int) []string {
			return []string{"VK_DRIVER_FILES=" + gone(count, "%s", ":")}
		}},
		{"layers of settings", func(root string, count int) []string {
			tree.Lay(t, root, file("etc/vulkan/loader_settings.d/vk_loader_settings.json",
				`{"file_format_version":"1.0.0","settings":{"layers":[`+
					gone(count, `{"name":"VK_LAYER_gone","path":"%s","control":"auto"}`, ",")+`]}}`))
			return nil
		}},
		{"drivers of settings", func(root string, count int) []string {
			tree.Lay(t, root, file("etc/vulkan/loader_settings.d/vk_loader_settings.json",
				`{"file_format_version":"1.0.0","settings":{"additional_drivers":[`+gone(count, `{"path":"%s"}`, ",")+`]}}`))
			return nil
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			cost := func(count int) (allocated uint64) {
				root := t.TempDir()
				tree.Lay(t, root, file("usr/share/vulkan/icd.d/readme", ""))
				source := &machine.Source{Machine: machine.Machine{Root: root, Environ: c.lay(root, count)}}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				report, err := Examine(source, Options{})
				runtime.ReadMemStats(&after)
				if err != nil {
					t.Fatal(err)
				}
				if all := fmt.Sprint(report.Findings); !strings.Contains(all, fmt.Sprintf("%d.json", count-1)) {
					t.Fatalf("the last missing manifest of %d is not told", count)
				}
				return after.TotalAlloc - before.TotalAlloc
			}
			bytes, more := cost(few), cost(many)
			if t.Logf("%d: %d bytes; %d: %d bytes", few, bytes, many, more); more > bytes*many/few*10/8 {
				t.Errorf("%d missing manifests allocate %d bytes, and %d allocate %d", few, bytes, many, more)
			}
		})
	}
}

// gone returns paths of missing manifests, each in a format.
func gone(count int, format, separator string) string {
	list := make([]string, count)
	for i := range list {
		list[i] = fmt.Sprintf(format, fmt.Sprintf("/gone/%d.json", i))
	}
	return strings.Join(list, separator)
}
