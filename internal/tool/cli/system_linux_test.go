package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"vkloader/internal/tool/exit"
	"vkloader/test/lib/binary"
)

// systemRoot returns a file system with the distribution's loader in force, and this project's loader beside it.
func systemRoot(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	directory := filepath.Join(root, "usr/lib/x86_64-linux-gnu")
	if err := os.MkdirAll(filepath.Join(directory, "vkloader"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, release := range map[string]string{"libvulkan.so.1.3.239": "", "vkloader/libvulkan.so.1.4.363": "0.9.0"} {
		library := binary.Library{Soname: "libvulkan.so.1", Release: release}
		if err := os.WriteFile(filepath.Join(directory, name), library.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"libvulkan.so.1": "libvulkan.so.1.3.239", "vkloader/libvulkan.so.1": "libvulkan.so.1.4.363"} {
		if err := os.Symlink(target, filepath.Join(directory, link)); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestSystemText(t *testing.T) {
	s, out, errOut := world(t, "")
	root := systemRoot(t)
	if code := runLine(s, []string{"system", "status", "--root", root}); code != exit.Fine {
		t.Fatalf("exit code %d: %s", code, errOut)
	}
	want := `x86-64, 64 bits: the distribution's 1.3.239
  state        origin        release  Vulkan   file                                                     package
  in force     distribution           1.3.239  /usr/lib/x86_64-linux-gnu/libvulkan.so.1.3.239           none
  can be used  vkloader      0.9.0    1.4.363  /usr/lib/x86_64-linux-gnu/vkloader/libvulkan.so.1.4.363  none
  As root: vkloader system use vkloader
`
	if out.String() != want {
		t.Errorf("got\n%s\nwant\n%s", out, want)
	}
	out.Reset()
	if code := runLine(s, []string{"system", "use", "vkloader", "--root", root}); code != exit.Fine ||
		!strings.HasPrefix(out.String(), "x86-64, 64 bits: vkloader 0.9.0\n") {
		t.Errorf("exit code %d: %s%s", code, out, errOut)
	}
	if code := runLine(s, []string{"system", "status", "--root", t.TempDir()}); code != exit.Problems {
		t.Errorf("without any loader: exit code %d", code)
	}
	for _, line := range []string{"system nonsense", "system use", "system use nonsense", "system use vkloader distribution"} {
		if code := runLine(s, strings.Fields(line)); code != exit.Usage {
			t.Errorf("%s: exit code %d", line, code)
		}
	}
}
