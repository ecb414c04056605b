package offer

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/containers/border"
)

// A package's driver precedes those of the machine and replaces one with the same library. A library for other programs is
// left out with a reason, and an unchanged index is not written again.
//
// holds: PRO-048
func TestPackages(t *testing.T) {
	t.Parallel()
	const gnu = "usr/lib/x86_64-linux-gnu/"
	base := find(t, root(t, map[string]string{
		"usr/share/vulkan/icd.d/a.json": driverManifest("libvulkan_a.so", ""),
		"usr/share/vulkan/icd.d/b.json": driverManifest("libvulkan_b.so", ""),
		gnu + "libvulkan_a.so":          "soname=libvulkan_a.so exports=vk_icdGetInstanceProcAddr",
		gnu + "libvulkan_b.so":          "soname=libvulkan_b.so exports=vk_icdGetInstanceProcAddr",
	}), "x86_64")
	dir := t.TempDir()
	of := func(number, name, words string) Package {
		path := filepath.Join(dir, number+name)
		put(t, path, words)
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { f.Close() })
		info, err := f.Stat()
		if err != nil {
			t.Fatal(err)
		}
		return Package{Name: number + "-" + name + ".json", URL: "pkg://test/" + number, Manifest: "{}", Soname: name, Library: border.Held{File: f},
			Size: info.Size(), Devices: []string{"/dev/dri/renderD128"}}
	}
	packages := []Package{of("0", "libvulkan_b.so", "soname=libvulkan_b.so needed=libz.so.1 exports=vk_icdGetInstanceProcAddr"), of("1", "libnew.so", "soname=libnew.so exports=vk_icdGetInstanceProcAddr"),
		of("2", "libarm.so", "machine=aarch64"), of("3", "libtext.so", "text none")}
	var j Joined
	x, err := j.Find(base, "x86_64", packages)
	if err != nil {
		t.Fatal(err)
	}
	var names, out []string
	for _, d := range x.Drivers {
		names = append(names, d.Name)
	}
	for _, l := range x.LeftOut {
		out = append(out, l.Name+": "+l.Why)
	}
	if got := strings.Join(names, " "); got != "0-libvulkan_b.so.json 1-libnew.so.json a.json" {
		t.Errorf("drivers: %s", got)
	}
	want := "2-libarm.so.json: its library is for other programs; 3-libtext.so.json: its library: "
	if got := strings.Join(out, "; "); !strings.HasPrefix(got, want) || !strings.HasSuffix(got, "b.json: the package pkg://test/0 is offered in its place") {
		t.Errorf("left out: %s", got)
	}
	first := x.Drivers[0]
	if f := x.Files[first.Library]; f.Name != "libvulkan_b.so" || len(f.Needs) != 1 || len(first.Files) != 1 || len(first.Devices) != 1 {
		t.Errorf("%+v %+v", first, f)
	}
	if file, err := x.File(first.Library); err != nil || file != packages[0].Library {
		t.Errorf("%+v, %v", file, err)
	}
	if again, err := j.Find(base, "x86_64", packages); err != nil || again != x {
		t.Errorf("it is written again: %v", err)
	}
	if later, err := j.Find(base, "x86_64", packages[:1]); err != nil || len(later.Drivers) != 2 {
		t.Errorf("%+v, %v", later, err)
	}
	if plain, err := j.Find(base, "x86_64", nil); err != nil || plain != base || len(j.Last()) != 0 {
		t.Errorf("without packages: %v", err)
	}
	if alone, err := j.Find(nil, "x86_64", packages); err != nil || len(alone.Drivers) != 2 {
		t.Errorf("packages alone: %+v, %v", alone, err)
	}
	if _, err := j.Find(nil, "riscv64", packages); err != nil {
		t.Error(err)
	}
}
