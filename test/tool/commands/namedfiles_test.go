package commands

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// limitedRun runs the tool for at most a minute, and returns its output, exit code and memory in MB.
func limitedRun(t *testing.T, stdin string, environ []string, args ...string) (out string, code int, memory int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, filepath.Join(built, "vkloader"), args...)
	cmd.Stdin = strings.NewReader(stdin)
	if environ != nil {
		cmd.Env = environ
	}
	text, memory := measured(t, cmd)
	if ctx.Err() != nil {
		t.Errorf("vkloader %s did not end:\n%.300s", strings.Join(args, " "), text)
	}
	return text, cmd.ProcessState.ExitCode(), memory
}

// A file that the command line names is read up to a limit. A FIFO or device in its place is refused at once.
func TestNamedFilesAreBounded(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	fifo, zero, large := d+"/fifo", d+"/zero", d+"/large"
	if err := syscall.Mkfifo(fifo, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink("/dev/zero", zero); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(large, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(large, 5<<30); err != nil {
		t.Fatal(err)
	}
	for file, why := range map[string]string{fifo: "not a regular file", zero: "not a regular file", large: "larger than "} {
		for _, line := range []string{"cdi verify", "cdi check " + d + " --cdi", "service run --config",
			"explain --platform windows --root " + d + " --registry", "explain --platform android --root " + d + " --properties"} {
			t.Run(filepath.Base(file)+" "+strings.ReplaceAll(line, d, "DIR"), func(t *testing.T) {
				t.Parallel()
				out, code, memory := limitedRun(t, "", nil, append(strings.Fields(line), file)...)
				if code <= 0 || !strings.Contains(out, file) || !strings.Contains(out, why) || memory > 200 {
					t.Errorf("exit code %d, %d MB, without %q:\n%.300s", code, memory, why, out)
				}
			})
		}
	}
	const cdi = `{"cdiVersion": "0.5.0", "kind": "a.b/c", "devices": [{"name": "c", "containerEdits": {"env": ["A=B"]}}]}`
	if out, code, _ := limitedRun(t, cdi, nil, "cdi", "verify", "/proc/self/fd/0"); code != 0 {
		t.Errorf("a pipe as standard input: exit code %d\n%s", code, out)
	}
}

// A link to the kernel's log or trace is neither manifest nor settings file. A read could wait, and removes lines.
func TestKernelFilesAreNotRead(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	for n, target := range []string{"/proc/kmsg", "/sys/kernel/tracing/trace_pipe", "/sys/kernel/debug/sleep_time"} {
		opened, err := os.OpenFile(target, os.O_RDONLY|syscall.O_NONBLOCK, 0)
		if err != nil {
			continue // the file does not exist, or this user may not read it
		}
		opened.Close()
		link := fmt.Sprintf("%s/%d.json", d, n)
		home := fmt.Sprintf("%s/home%d", d, n)
		settings := home + "/.local/share/vulkan/loader_settings.d"
		for _, directory := range []string{home, settings} {
			if err := os.MkdirAll(directory, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range []string{link, settings + "/vk_loader_settings.json"} {
			if err := os.Symlink(target, name); err != nil {
				t.Fatal(err)
			}
		}
		for _, line := range []string{"validate " + link, "settings show", "settings set --log error"} {
			out, code, _ := limitedRun(t, "", []string{"PATH=/usr/bin:/bin", "HOME=" + home}, strings.Fields(line)...)
			if code <= 0 || !strings.Contains(out, "not a regular file") {
				t.Errorf("vkloader %s, a link to %s: exit code %d\n%.300s", line, target, code, out)
			}
		}
	}
}

// The cost of a settings file grows with its size, however many programs and layers it names.
func TestSettingsOfManyPrograms(t *testing.T) {
	t.Parallel()
	var keys, layers, objects []string
	for i := range 20000 {
		layer := fmt.Sprintf(`{"name": "VK_LAYER_%d", "path": "/x/%d.json", "control": "on"}`, i, i)
		keys, layers = append(keys, fmt.Sprintf(`"/bin/%d"`, i)), append(layers, layer)
		objects = append(objects, fmt.Sprintf(`{"app_keys": ["/bin/%d"], "layers": [%s]}`, i, layer))
	}
	d := t.TempDir()
	for name, text := range map[string]string{
		"one object":   `{"file_format_version": "1.0.0", "settings": {"app_keys": [` + strings.Join(keys, ",") + `], "layers": [` + strings.Join(layers, ",") + `]}}`,
		"many objects": `{"file_format_version": "1.0.0", "settings_array": [` + strings.Join(objects, ",") + `]}`,
	} {
		file := filepath.Join(d, name+".json")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		cmd := exec.Command(filepath.Join(built, "vkloader"), "validate", "--kind", "settings", file)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "the loader accepts it") {
			t.Errorf("%s: %v\n%.300s", name, err, out)
		}
		if used := cmd.ProcessState.UserTime(); used > 8*time.Second {
			t.Errorf("%s: %v of processor time for %d bytes", name, used, len(text))
		}
		home := filepath.Join(d, name)
		settings := home + "/.local/share/vulkan/loader_settings.d"
		if err := os.MkdirAll(settings, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Rename(file, settings+"/vk_loader_settings.json"); err != nil {
			t.Fatal(err)
		}
		said, _, memory := limitedRun(t, "", []string{"PATH=/usr/bin:/bin", "HOME=" + home}, "settings", "show")
		if !strings.Contains(said, " more, not shown: name one with --app") || memory > 300 {
			t.Errorf("%s: settings show takes %d MB:\n%.300s", name, memory, said)
		}
	}
}

// A service of root uses no configuration, table or package that another user can change, and names the user and the file.
func TestRootServesNoPackageOfOthers(t *testing.T) {
	t.Parallel()
	asRoot(t)
	w := world.New(t)
	w.NoShim = true
	for name, text := range map[string]string{"pack/meta/metadata/metadata.json": `{"version": 1, "file_path": "lib.so", "manifest_path": "m.json"}`,
		"pack/m.json": `{"file_format_version": "1.0.0", "ICD": {"library_path": "lib.so", "api_version": "1.3.0"}}`, "pack/lib.so": "x",
		"service.json": `{"allow_lavapipe_icd": true}`} {
		w.Write(name, text)
	}
	pack := filepath.Dir(w.Write("pack/empty", ""))
	above := filepath.Dir(pack)
	config := filepath.Join(above, "service.json")
	for _, file := range []string{"", config, pack, pack + "/lib.so", pack + "/m.json", pack + "/meta/metadata"} {
		if file != "" {
			giveAway(t, file)
		}
		log, status := serviceText(t, nil, "--root", t.TempDir(), "--config", config, "--set", "lavapipe_icd_url=file://"+pack)
		said := log + status
		if refused := strings.Contains(said, " as root: user "+another+" can change "+file+";"); refused != (file != "") {
			t.Errorf("%q:\n%s", file, said)
		}
		if in := strings.Contains(said, "component\n"); in != (file == "") {
			t.Errorf("%q: offered: %v\n%s", file, in, said)
		}
		if file != "" {
			if err := os.Lchown(file, 0, 0); err != nil {
				t.Fatal(err)
			}
		}
	}
}
