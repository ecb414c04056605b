package windows

import (
	"regexp"
	"strings"
	"testing"
	"time"
)

// ofLinux matches words of Linux that have no meaning on Windows. No output of the tool may contain one.
var ofLinux = regexp.MustCompile(`libvulkan|dynamic linker|\b(as|As|only|Only) root\b|setuid|/opt/|/etc/|/usr/|~/|\bchmod\b|\busermod\b|\bapt\b|ldconfig|\bLD_|` +
	`XDG_|systemd|udevadm|modprobe|icd\.d\b`)

// notOfLinux reports words of Linux in the tool's output.
func notOfLinux(t *testing.T, args []string, out string) {
	t.Helper()
	if found := ofLinux.FindString(out); found != "" {
		t.Errorf("%q: %q is about Linux:\n%s", args, found, out)
	}
}

// holds: WIN-057
//
// TestEveryCommand runs the commands of docs/tool.md in each word size, as administrator and not, and checks the exit
// code and the words of the output.
func TestEveryCommand(t *testing.T) {
	cmd := []string{"--", `C:\windows\system32\cmd.exe`, "/c", "exit 7"}
	for _, size := range sizes {
		for _, c := range []struct {
			args        []string
			code        int
			say, unsaid string // regular expressions; "": none
		}{
			{[]string{"--version"}, 0, `vkloader .*\d\.\d`, "linker"},
			{[]string{"--no-probe"}, 0, `(?s)^A driver is installed; no problems found.*winevulkan\.json.*Next\n`, "linker"},
			{[]string{"version"}, 0, `(?s)vulkan-1\.dll.*1\.4`, "libvulkan"},
			{[]string{"help"}, 0, "doctor", "policy"},
			{[]string{"help", "WIN-057"}, 0, "High integrity", ""},
			{[]string{"list", "devices", "--details"}, 0, "llvmpipe", "problem"},
			{[]string{"list", "layers"}, 0, sampleLayer, "dynamic linker"},
			{[]string{"list", "drivers"}, 0, `used +winevulkan\.json`, ""},
			{[]string{"list", "layers"}, 0, "not used +" + sampleLayer, ""},
			{[]string{"list", "devices"}, 0, "llvmpipe", ""},
			{[]string{"list", "paths"}, 0, `(?s)HKEY_LOCAL_MACHINE\\SOFTWARE\\Khronos\\Vulkan\\Drivers.*HKEY_LOCAL_MACHINE\\SOFTWARE\\Khronos\\Vulkan\\ImplicitLayers +default +names no file`, "icd.d"},
			{[]string{"list", "variables"}, 0, "VK_LOADER_DEBUG", "XDG_"},
			{[]string{"help", "VK_DRIVER_FILES"}, 0, "a variable of the loader", ""},
			{[]string{"ps"}, 0, `^(No process uses a Vulkan loader\.\n|pid +program)`, ""},
			{[]string{"explain"}, 0, `winevulkan\.json`, "dynamic linker"},
			{[]string{"explain", "--rules"}, 0, `[A-Z]+-\d`, ""},
			{[]string{"explain", "no_such"}, 1, "no_such", ""},
			{[]string{"doctor"}, 0, `^llvmpipe.* works; no problems found`, "not tried|crashes"},
			{[]string{"doctor", "--full"}, 0, "no problems", "dynamic linker"},
			{[]string{"doctor", "--probe"}, 0, `^llvmpipe.* works; no problems found`, "crashes"},
			{[]string{"doctor", "--no-probe", "--markdown"}, 0, "\nDrivers\n", ""},
			{[]string{"doctor", "--fix"}, 2, "--yes", ""},
			{[]string{"doctor", "--undo"}, 1, "", "restored"},
			{[]string{"doctor", "--device", "0"}, 2, "device", ""},
			{[]string{"list", "variables", "--set"}, 0, "", "problem"},
			{append([]string{"run"}, cmd...), 7, "", "warning"},
			{append([]string{"run", "--find-culprit"}, cmd...), 1, "exit code 7", ""},
			{[]string{"run", "--", "no-such.exe"}, 127, "no-such", ""},
			{[]string{"settings"}, 0, "No settings file: SOFTWARE", "loader_settings.d"},
			{[]string{"settings", "show"}, 0, "For programs that run as administrator", ""},
			{[]string{"settings", "clear"}, 0, `^There is no settings file\.\n$`, ""},
			{[]string{"settings", "clear", "--app", `C:\game.exe`}, 0, "no settings file", ""},
			{[]string{"settings", "set", "--layer", sampleLayer, "--dry-run"}, 0, `"settings_array"`, "Wrote"},
			{[]string{"settings", "layer"}, 3, "not on Windows: settings layer", ""},
			{[]string{"settings", "set", "--system", "--layer", sampleLayer}, 3, "HKEY_LOCAL_MACHINE", "Wrote"},
			{[]string{"check"}, 0, "All requirements are met", ""},
			{[]string{"check", "--require", "type=discrete"}, 14, "discrete", ""},
			{[]string{"validate", `C:\windows\system32\winevulkan.json`}, 0, "the loader accepts it", "linker"},
			{[]string{"explain", "--picture", "--no-probe"}, 0, "<svg", ""},
			{[]string{"bundle", "--force", "-o", `C:\every.tar.gz`}, 0, `(?s)doctor\.json.*info\.json.*log\.txt.*registry\.reg.*Written to C:\\every\.tar\.gz`, "failed"},
			{[]string{"bundle", "-o", `C:\every.tar.gz`}, 2, `C:\\every\.tar\.gz exists: .*--force`, ""},
			{[]string{"bundle", "--list"}, 0, `registry\.reg`, "failed"},
			{[]string{"cdi"}, 3, "not on Windows: ", ""},
			{[]string{"service"}, 3, "not on Windows: ", ""},
			{[]string{"system"}, 3, "not on Windows: ", ""},
			{[]string{"ui", "--read-only", "--idle", "1ms"}, 0, `^http://127\.0\.0\.1:\d+/#`, "press Enter"},
			{[]string{"explain", "--pid", "3"}, 3, "process 3 does not exist", ""},
		} {
			for _, as := range both {
				got, out, errOut := ranAs(t, as, size, c.args...)
				out += errOut
				if got != c.code || !regexp.MustCompile(c.say).MatchString(out) || c.unsaid != "" && regexp.MustCompile(c.unsaid).MatchString(out) {
					t.Errorf("%s, %s: %q ends with %d, not %d, or its output lacks %q or has %q:\n%s", size, as, c.args, got, c.code, c.say, c.unsaid, out)
				}
			}
		}
	}
}

// TestHelp checks the help of every command.
func TestHelp(t *testing.T) {
	for _, size := range sizes {
		for _, words := range []string{"", "bundle", "check", "doctor", "explain", "list", "list devices", "list drivers", "list layers", "list paths",
			"list variables", "ps", "run", "settings", "settings clear", "settings set", "settings show", "ui", "validate", "version"} {
			out, _ := tool(t, size, 0, append(strings.Fields(words), "--help")...)
			if !strings.Contains(out, "Usage:") {
				t.Errorf("%s: %s --help:\n%s", size, words, out)
			}
		}
	}
}

// TestWatch checks that the list of processes is printed again when a program starts.
func TestWatch(t *testing.T) {
	for _, size := range sizes {
		watch, output := wine(t, windowsPath(t, size, "vkloader.exe"), "ps", "--watch")
		must(t, watch.Start())
		ended := make(chan struct{})
		go func() {
			defer close(ended)
			_ = watch.Wait()
		}()
		lists := func(text string) {
			t.Helper()
			for {
				out, errOut := output()
				if strings.Contains(out, text+"\n") || strings.Contains(out, text+" ") {
					return
				}
				select {
				case <-ended:
					t.Fatalf("%s: ps --watch ends without %q\n%s%s", size, text, out, errOut)
				case <-time.After(10 * time.Millisecond):
				}
			}
		}
		lists("")
		presenting(t, size, "")
		lists("present.exe")
		_ = watch.Process.Kill()
		<-ended
	}
}
