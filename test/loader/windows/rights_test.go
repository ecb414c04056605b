package windows

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Wine runs every process with integrity level High, a constant in the code of its ntdll.so. A copy with the level Medium, mounted over
// that file in a mount namespace, gives a Wine whose programs are not elevated. Both use one prefix and one server.

// levels are the instructions that contain the constant, by the directory of the word size.
var levels = map[string][]byte{
	"x86_64-linux-gnu/wine/x86_64-unix": {0x41, 0xc7, 0x45, 0x18, 0x00, 0x30, 0x00, 0x00},
	"i386-linux-gnu/wine/i386-unix":     {0xc7, 0x40, 0x08, 0x00, 0x30, 0x00, 0x00},
}

// medium makes the copies and returns the shell command that mounts them.
var medium = sync.OnceValues(func() (string, error) {
	dir, mount := os.Getenv("WINDOWS_ROOT"), ""
	for place, high := range levels {
		file := filepath.Join("/usr/lib", place, "ntdll.so")
		code, err := os.ReadFile(filepath.Join(dir, file))
		if errors.Is(err, os.ErrNotExist) && len(sizes) == 1 {
			continue
		}
		if err != nil {
			return "", err
		}
		at := bytes.Index(code, high)
		if at < 0 || bytes.Count(code, high) != 1 {
			return "", errors.New(file + " has another code for the integrity level: see test/loader/windows/rights_test.go")
		}
		code[at+len(high)-3] = 0x20
		copied := filepath.Join(dir, "vkloader", filepath.Base(place)+"-medium.so")
		if err := os.WriteFile(copied, code, 0o755); err != nil {
			return "", err
		}
		mount += "mount --bind " + copied + " " + filepath.Join(dir, file) + " && "
	}
	return mount + `exec "$@"`, nil
})

// rights are the rights of a program.
type rights string

const (
	elevated   rights = "elevated"
	unelevated rights = "not elevated"
)

// anyCode stands for every exit code.
const anyCode = -2

// both are the rights of programs that a user starts, and of programs that run as administrator.
var both = []rights{elevated, unelevated}

// toolAs is ranAs for a tool that must exit with this code, or with any.
func toolAs(t *testing.T, as rights, size string, code int, args ...string) (out, errOut string) {
	t.Helper()
	got, out, errOut := ranAs(t, as, size, args...)
	if got != code && code != anyCode {
		t.Fatalf("%s, %s: %q ends with %d, not %d\n%s%s", size, as, args, got, code, out, errOut)
	}
	return out, errOut
}

// ranAs runs the tool with rights. Wine kills a process that takes more than a second to exit, which happens on a busy machine; that run is
// repeated.
func ranAs(t *testing.T, as rights, size string, args ...string) (got int, out, errOut string) {
	t.Helper()
	got = -1
	for again := 0; got == -1 && again < 5; again++ {
		cmd, output := wine(t, append([]string{windowsPath(t, size, "vkloader.exe")}, args...)...)
		if as == unelevated {
			mount, err := medium()
			must(t, err)
			shell, err := exec.LookPath("unshare")
			must(t, err)
			cmd.Path, cmd.Args = shell, append([]string{"unshare", "--mount", "sh", "-c", mount, "sh"}, cmd.Args...)
		}
		err := cmd.Run()
		out, errOut = output()
		var exit *exec.ExitError
		if err != nil && !errors.As(err, &exit) {
			t.Fatal(err)
		}
		got = cmd.ProcessState.ExitCode()
	}
	notOfLinux(t, args, out+errOut)
	return got, out, errOut
}

// askedAs returns the JSON that the tool prints with rights.
func askedAs[T any](t *testing.T, as rights, size string, code int, args ...string) (value T) {
	t.Helper()
	out, _ := toolAs(t, as, size, code, append(args, "--json")...)
	if err := json.Unmarshal([]byte(out), &value); err != nil {
		t.Fatalf("%s, %s: %q: %v\n%s", size, as, args, err, out)
	}
	return value
}

// holds: WIN-057
//
// TestRights runs the tool with both rights; a variable has an effect with one of them only.
func TestRights(t *testing.T) {
	for _, size := range sizes {
		for _, as := range both {
			e := askedAs[explained](t, as, size, 0, "explain", "--env", `VK_DRIVER_FILES=C:\gone\driver.json`)
			if drivers := map[rights]int{elevated: 1, unelevated: 0}[as]; len(e.In) != drivers {
				t.Errorf("%s, %s: %+v", size, as, e)
			}
		}
	}
}

// TestToolSettingsDevice selects a device in the settings, which programs that are not elevated then get.
//
// holds: SET-98 WIN-057
func TestToolSettingsDevice(t *testing.T) {
	type listed struct {
		Devices []struct {
			Name string
			In   bool
		}
		Order []struct{ By string }
	}
	for _, size := range sizes {
		defer tool(t, size, 0, "settings", "clear")
		listedNow := askedAs[struct {
			Devices []struct {
				UUID    string `json:"device_uuid"`
				Driver  string `json:"driver_uuid"`
				Version uint32 `json:"driver_version"`
			}
		}](t, unelevated, size, 0, "list", "devices", "--env", `VK_DRIVER_FILES=C:\windows\system32\winevulkan.json`)
		if len(listedNow.Devices) != 1 {
			t.Fatalf("%s: %+v", size, listedNow)
		}
		d := listedNow.Devices[0]
		toolAs(t, unelevated, size, 0, "settings", "set", "--device", fmt.Sprintf("%s/%s/%d", d.UUID, d.Driver, d.Version), "--env", `VK_DRIVER_FILES=C:\windows\system32\winevulkan.json`)
		if out, _ := toolAs(t, unelevated, size, 0, "settings", "show"); !strings.Contains(out, d.UUID) {
			t.Errorf("%s: %s", size, out)
		}
		if l := askedAs[listed](t, unelevated, size, 0, "list", "devices"); len(l.Devices) != 1 || !l.Devices[0].In || len(l.Order) == 0 || l.Order[0].By != "settings" {
			t.Errorf("%s: %+v", size, l)
		}
		const other = "00000000000000000000000000000001/00000000000000000000000000000002/3"
		toolAs(t, unelevated, size, 0, "settings", "set", "--device", other)
		if _, errOut := toolAs(t, unelevated, size, 1, "settings", "set", "--device", "llvmpipe"); !strings.Contains(errOut, "vkloader settings clear") {
			t.Errorf("%s: %s", size, errOut)
		}
		toolAs(t, unelevated, size, 0, "settings", "clear")
		// Wine's manifest is not Mesa's
		const instead = "vkloader settings set --driver NAME (vkloader list drivers shows the name)\n"
		if _, errOut := toolAs(t, unelevated, size, 1, "settings", "set", "--device", "llvmpipe"); !strings.HasSuffix(errOut, instead) {
			t.Errorf("%s: %s", size, errOut)
		}
		toolAs(t, unelevated, size, 0, "settings", "set", "--driver", "winevulkan.json")
		toolAs(t, unelevated, size, 0, "settings", "clear")
		if _, errOut := toolAs(t, unelevated, size, 1, "settings", "set", "--device", "no such"); !strings.Contains(errOut, "no such") {
			t.Errorf("%s: %s", size, errOut)
		}
	}
}
