package source

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Every package is one of the release that VERSION names, and Alpine's provides the loader of the registry's version.
func TestPackagesNameTheRelease(t *testing.T) {
	t.Parallel()
	read := func(name string) string {
		text, err := os.ReadFile(filepath.Join(top, name))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	release := strings.TrimSpace(read("VERSION"))
	header := ""
	for _, line := range strings.Split(read("spine/gen/zslots.h"), "\n") {
		if number, ok := strings.CutPrefix(line, "#define VKL_HEADER_VERSION "); ok {
			header = strings.TrimRight(strings.Fields(number)[0], "uU")
		}
	}
	for name, want := range map[string]string{
		"debian/changelog":            "vkloader (" + release + "-",
		"packaging/rpm/vkloader.spec": "\nVersion:        " + release + "\n",
		"packaging/alpine/APKBUILD":   "\npkgver=" + release + "\n",
	} {
		if !strings.Contains(read(name), want) {
			t.Errorf("%s lacks %q", name, want)
		}
	}
	if want := `provides="vulkan-loader=1.4.` + header + `-r0"`; header == "" || !strings.Contains(read("packaging/alpine/APKBUILD"), want) {
		t.Errorf("packaging/alpine/APKBUILD lacks %q", want)
	}
}
