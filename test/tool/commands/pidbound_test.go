package commands

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// sandboxed starts a process in a separate mount namespace, with an environment. The process ends with the test.
func sandboxed(t *testing.T, environ ...string) (pid int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", "echo ready; read line")
	cmd.Env = append(environ, "PATH="+os.Getenv("PATH"))
	cmd.SysProcAttr = &syscall.SysProcAttr{Cloneflags: syscall.CLONE_NEWNS}
	if os.Getuid() != 0 {
		cmd.SysProcAttr.Cloneflags |= syscall.CLONE_NEWUSER
	}
	input, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if errors.Is(err, syscall.EPERM) || errors.Is(err, syscall.ENOSPC) {
		t.Skip("this machine makes no mount namespace:", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		input.Close()
		_ = cmd.Wait()
	})
	if _, err := io.ReadFull(output, make([]byte, len("ready\n"))); err != nil {
		t.Fatal(err)
	}
	return cmd.Process.Pid
}

// many creates a directory with n names of one file.
func many(t *testing.T, directory, content string, n int) {
	t.Helper()
	if err := os.MkdirAll(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	name := func(i int) string { return filepath.Join(directory, fmt.Sprintf("m%05d.json", i)) }
	const links = 30000 // a file of ext4 has at most 65,000 links
	for i := range n {
		var err error
		if i%links == 0 {
			err = os.WriteFile(name(i), []byte(content), 0o644)
		} else {
			err = os.Link(name(i-i%links), name(i))
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// The tool reads a bounded number of files and bytes for a process in another mount namespace or of another user. With more manifests, a
// command ends with a message that names the directory and the bound.
func TestProcessFilesAreBounded(t *testing.T) {
	t.Parallel()
	const driver = `{"file_format_version": "1.0.0", "ICD": {"library_path": "/nowhere/lib.so", "api_version": "1.3.0"}}`
	const layer = `{"file_format_version": "1.0.0", "layer": {"name": "VK_LAYER_a", "type": "GLOBAL", "library_path": "/nowhere/lib.so",
		"api_version": "1.3.0", "implementation_version": "1", "description": "d", "disable_environment": {"D": "1"}}}`
	for name, lay := range map[string]func(t *testing.T, d string) (environ []string, where, bound string){
		"manifests of drivers": func(t *testing.T, d string) ([]string, string, string) {
			many(t, d+"/vulkan/icd.d", driver, 60000)
			return []string{"XDG_DATA_HOME=" + d}, d + "/vulkan/icd.d", "4096 files"
		},
		"manifests of layers": func(t *testing.T, d string) ([]string, string, string) {
			many(t, d+"/vulkan/implicit_layer.d", layer, 20000)
			return []string{"XDG_CONFIG_HOME=" + d}, d + "/vulkan/implicit_layer.d", "4096 files"
		},
		"many directories": func(t *testing.T, d string) ([]string, string, string) {
			var list []string
			for i := range 20 {
				many(t, fmt.Sprintf("%s/%d/vulkan/icd.d", d, i), driver, 300)
				list = append(list, fmt.Sprintf("%s/%d", d, i))
			}
			return []string{"XDG_DATA_DIRS=" + strings.Join(list, ":")}, d + "/13/vulkan/icd.d", "4096 files"
		},
		"files in a variable": func(t *testing.T, d string) ([]string, string, string) {
			many(t, d+"/f", driver, 5000)
			var list []string
			for i := range 5000 {
				list = append(list, fmt.Sprintf("m%05d.json", i))
			}
			short, err := os.MkdirTemp("/tmp", "m") // a variable has at most 128 kB
			if err == nil {
				t.Cleanup(func() { os.RemoveAll(short) })
				short += "/f"
				err = os.Symlink(d+"/f", short)
			}
			if err != nil {
				t.Fatal(err)
			}
			return []string{"VK_DRIVER_FILES=" + short + "/" + strings.Join(list, ":"+short+"/")[:120000]}, short, "4096 files"
		},
		"a very large directory": func(t *testing.T, d string) ([]string, string, string) {
			many(t, d+"/vulkan/icd.d", driver, 1)
			many(t, d+"/vulkan/explicit_layer.d", layer, 70000)
			return []string{"XDG_DATA_HOME=" + d}, d + "/vulkan/explicit_layer.d", "names"
		},
		"libraries in many directories": func(t *testing.T, d string) ([]string, string, string) {
			for i := range 200 {
				name := fmt.Sprintf("%s/vulkan/icd.d/%d.json", d, i)
				err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(strings.Replace(driver, "/nowhere/lib", fmt.Sprint("lib", i), 1)), 0o644))
				if err != nil {
					t.Fatal(err)
				}
			}
			var list []string
			for i := range 10000 {
				list = append(list, fmt.Sprintf("/%x", i))
			}
			return []string{"XDG_DATA_HOME=" + d, "LD_LIBRARY_PATH=" + strings.Join(list, ":")}, "with /", "100000 look-ups"
		},
		"large files": func(t *testing.T, d string) ([]string, string, string) {
			many(t, d+"/vulkan/icd.d", driver+strings.Repeat(" ", 15<<20), 1)
			for i := range 20 {
				text, err := os.ReadFile(d + "/vulkan/icd.d/m00000.json")
				if err == nil {
					err = os.WriteFile(fmt.Sprintf("%s/vulkan/icd.d/n%d.json", d, i), text, 0o644)
				}
				if err != nil {
					t.Fatal(err)
				}
			}
			return []string{"XDG_DATA_HOME=" + d}, d + "/vulkan/icd.d", "4 MB"
		},
		"many values": func(t *testing.T, d string) ([]string, string, string) {
			extensions := strings.TrimSuffix(strings.Repeat(`{"name":"VK_a","spec_version":"1"},`, 60000), ",")
			large := strings.TrimSuffix(driver, "}}") + `,"instance_extensions":[` + extensions + "]}}"
			many(t, d+"/vulkan/icd.d", large, 1)
			return []string{"XDG_DATA_HOME=" + d}, d + "/vulkan/icd.d", "131072 values"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := t.TempDir()
			environ, where, bound := lay(t, d)
			pid := strconv.Itoa(sandboxed(t, environ...))
			for _, args := range [][]string{{"explain"}, {"explain", "--json"}, {"doctor"}, {"doctor", "--json"}, {"cdi", "why"}, {"explain", "--picture"}} {
				if name == "libraries in many directories" && len(args) > 1 && args[1] == "--picture" { // it looks for no library
					continue
				}
				cmd := exec.Command(filepath.Join(built, "vkloader"), append(args, "--pid", pid)...)
				out, used := measured(t, cmd)
				if code := cmd.ProcessState.ExitCode(); code != 3 || !strings.Contains(out, where) || !strings.Contains(out, bound) {
					t.Errorf("%v: exit code %d, not 3 with %s and %s:\n%.600s", args, code, where, bound, out)
				}
				if used > 220 {
					t.Errorf("%v took %d MB of memory", args, used)
				}
			}
		})
	}
}

// A process with an ordinary number of files is examined completely.
func TestProcessFilesWithinTheBound(t *testing.T) {
	t.Parallel()
	d := t.TempDir()
	many(t, d+"/vulkan/icd.d", `{"file_format_version": "1.0.0", "ICD": {"library_path": "/nowhere/lib.so", "api_version": "1.3.0"}}`, 200)
	pid := strconv.Itoa(sandboxed(t, "XDG_DATA_HOME="+d))
	out, err := exec.Command(filepath.Join(built, "vkloader"), "explain", "--no-fixes", "--pid", pid).CombinedOutput()
	if err != nil || strings.Count(string(out), "/nowhere/lib.so") < 200 {
		t.Errorf("%v:\n%.600s", err, out)
	}
}

// The hook ends in an image with any number of manifests, and names the directory and the bound.
func TestImageFilesAreBounded(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root starts the hook in a mount namespace without a user namespace")
	}
	host := machineAt(t, "cdi-host")
	file := filepath.Join(t.TempDir(), "a.json")
	text, err := json.Marshal(generated(t, host))
	if err = errors.Join(err, os.WriteFile(file, text, 0o644)); err != nil {
		t.Fatal(err)
	}
	image, state, hook, _ := imageOf(t, host, file)
	many(t, image+"/usr/share/vulkan/icd.d", `{"file_format_version": "1.0.0", "ICD": {"library_path": "/nowhere/lib.so", "api_version": "1.3.0"}}`, 5000)
	if said := ends(t, state, hook...); !strings.Contains(said, "/usr/share/vulkan/icd.d") || !strings.Contains(said, "4096 files") {
		t.Errorf("the hook says %q", said)
	}
}
