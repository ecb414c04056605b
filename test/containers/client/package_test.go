package client

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"vkloader/test/lib/world"
)

// example creates a package as in the documents of Fuchsia's loader service, with the null driver.
func example(t *testing.T, w *world.World) string {
	t.Helper()
	library, err := os.ReadFile(filepath.Join(world.Build(), "drivers/libvk_null.so"))
	if err != nil {
		t.Fatalf("run make: %v", err)
	}
	w.Write("package/lib/libvulkan_example.so", string(library))
	w.Write("package/meta/icd.d/libvulkan_example.json",
		`{"file_format_version": "1.0.0", "ICD": {"library_path": "libvulkan_example.so", "api_version": "1.3.0"}}`)
	w.Write("package/meta/metadata/metadata.json",
		`{"file_path": "lib/libvulkan_example.so", "version": 1, "manifest_path": "meta/icd.d/libvulkan_example.json"}`)
	w.Write("package/meta/example.cml", `{
    include: [ "syslog/client.shard.cml" ],
    program: { runner: "icd_runner", },
    capabilities: [ { directory: "contents", rights: [ "rx*" ], path: "/pkg", }, ],
    expose: [
        { directory: "contents", from: "self", rights: [ "rx*" ], },
        { directory: "contents", from: "self", as: "metadata", rights: [ "r*" ], subdir: "meta/metadata", },
    ],
}
`)
	return w.Path("package")
}

// A program's loader gets a driver from a package of the service, with and without the machine's drivers.
//
// holds: FLS-002 FLS-066 FLS-082 PRO-048
func TestDriverOfAPackage(t *testing.T) {
	t.Parallel()
	if world.Target() != "" || world.Variant() != "" {
		t.Skip("the service and its driver are this machine's")
	}
	for name, settings := range map[string][]string{
		"with the machines": {"--env", "VK_DRIVER_FILES=/nowhere.json"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			directory, err := os.MkdirTemp("", "vkc")
			if err != nil {
				t.Fatal(err)
			}
			var log bytes.Buffer
			cmd := exec.Command(filepath.Join(world.Top(), "build/vkloader"), append([]string{"service", "run", "--directory", directory,
				"--set", "allow_lavapipe_icd=true",
				"--set", "lavapipe_icd_url=file://" + example(t, w) + "#meta/example.cml"}, settings...)...)
			cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + w.Root}
			out, err := cmd.StderrPipe()
			if err == nil {
				err = cmd.Start()
			}
			if err != nil {
				t.Fatal(err)
			}
			// The first line says that the service is ready; the rest comes at its end.
			ready := make(chan bool)
			go func() {
				part := make([]byte, 4096)
				told := false
				for {
					n, err := out.Read(part)
					log.Write(part[:n])
					if !told && strings.Contains(log.String(), "driver chosen") {
						told = true
						ready <- true
					}
					if err != nil {
						close(ready)
						return
					}
				}
			}()
			t.Cleanup(func() {
				_ = cmd.Process.Signal(syscall.SIGTERM)
				<-ready
				_ = cmd.Wait()
				os.RemoveAll(directory)
				os.RemoveAll(directory + "-private")
			})
			if !<-ready {
				t.Fatalf("it has ended: %s", log.String())
			}
			w.Env["VKLOADERD_DIR"], w.Env["VK_LOADER_DEBUG"] = directory, "warn,error,driver"
			h := w.Start()
			if got := h.Do("create_instance").Result(); got != success {
				t.Errorf("result %d", got)
			} else if got := h.OK("physical_devices").Int("count"); got != 1 {
				t.Errorf("%d devices", got)
			}
			if said := h.Quit().Stderr; t.Failed() {
				t.Errorf("it says: %s", said)
			}
		})
	}
}
