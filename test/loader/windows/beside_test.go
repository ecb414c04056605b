package windows

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// oldLoader is a DLL with the texts of a loader of 2020.
const oldLoader = `__declspec(dllexport) const char *const says[] = {"VK_ICD_FILENAMES", "VK_INSTANCE_LAYERS", "Vulkan Loader Version 1.2.141"};`

// compilers has the compiler for each word size.
var compilers = map[string]string{"x64": "x86_64-w64-mingw32-gcc", "x86": "i686-w64-mingw32-gcc"}

// The tool decides for a program with an old loader like that loader, which ignores layer filters.
func TestLoaderBesideAProgram(t *testing.T) {
	for _, size := range sizes {
		implicitLayer(t, size, "first", windowsPath(t, size, `layers\VkLayer_drawstats.dll`))
		dir, top := root(t)
		at := filepath.Join(dir, "root/prefix/drive_c/game")
		t.Cleanup(func() { os.RemoveAll(at) })
		program, err := os.ReadFile(filepath.Join(dir, top, "build/windows", size, "test/compute.exe"))
		if err == nil {
			err = os.MkdirAll(at, 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(at, "game.exe"), program, 0o755)
		}
		source := filepath.Join(t.TempDir(), "old.c")
		if err == nil {
			err = os.WriteFile(source, []byte(oldLoader), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		question := []string{"explain", "--elevated=false", "--app", `C:\game\game.exe`, "--env", "VK_LOADER_LAYERS_DISABLE=~all~"}
		type explanation struct {
			Loader struct{ Version, Rule string }
			In     []struct{ Name string }
		}
		if e := asked[explanation](t, size, 0, question...); e.Loader.Version != "" || len(e.In) != 1 {
			t.Errorf("%s: with the system's loader: %+v", size, e)
		}
		if text, err := exec.Command(compilers[size], "-shared", "-o", filepath.Join(at, "vulkan-1.dll"), source).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		e := asked[explanation](t, size, 0, question...)
		if e.Loader.Version != "1.2.141" || e.Loader.Rule != "program" || len(e.In) != 2 || e.In[0].Name != "VK_LAYER_first" {
			t.Errorf("%s: with its own: %+v", size, e)
		}
		out, _ := tool(t, size, 0, question...)
		if want := `game.exe gets C:\game\vulkan-1.dll, version 1.2.141: it is in the program's directory.`; !strings.Contains(strings.Join(strings.Fields(out), " "), want) {
			t.Errorf("%s: not %q in\n%s", size, want, out)
		}
		_, errOut := tool(t, size, 0, "run", "--no-layers", "--dry-run", "--", `C:\game\game.exe`)
		if want := "VK_LOADER_LAYERS_DISABLE: not in force for game.exe, whose loader is 1.2.141"; !strings.Contains(errOut, want) {
			t.Errorf("%s: not %q in\n%s", size, want, errOut)
		}
	}
}
