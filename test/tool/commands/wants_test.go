package commands

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/binary"
	"vkloader/test/lib/world"
)

// check says which requirement no driver for an old chip will ever meet, and which older release of the program works. For an old driver of
// a new chip it names no limit.
func TestCheckOfProgram(t *testing.T) {
	t.Parallel()
	const (
		kepler = "device name=GT710 type=discrete vendor=0x10de device=0x128b api=1.2.175 ext=VK_EXT_transform_feedback:1,VK_KHR_timeline_semaphore:2"
		ivy    = "device name=HD4000 type=integrated vendor=0x8086 device=0x0166 api=1.2.274 ext=VK_EXT_transform_feedback:1,VK_KHR_dynamic_rendering:1,VK_KHR_timeline_semaphore:2"
		ada    = "device name=RTX4090 type=discrete vendor=0x10de device=0x2684 api=1.2.175"
		never  = "no driver for it will ever meet this"
	)
	for _, c := range []struct {
		name, device string
		args         []string
		code         int
		says, lacks  []string
	}{
		{"DXVK on Kepler", kepler, []string{"dxvk"}, 15, []string{"DXVK 2.7 requires Vulkan 1.3", "last driver for it, 470, offers Vulkan 1.2", never, "DXVK 1.10 works with it, and requires Vulkan 1.1"}, nil},
		{"DXVK on Ivy Bridge", ivy, []string{"dxvk"}, 15, []string{"HASVK (Mesa) offers Vulkan 1.2, and not 1.3", never, "DXVK 1.10 works"}, nil},
		{"DXVK on Ivy Bridge beside a software renderer", ivy + "\ndevice name=llvmpipe type=cpu api=1.3.0 " + ivy[strings.Index(ivy, "ext="):], []string{"dxvk"}, 15,
			[]string{"no GPU has Vulkan 1.3", never}, nil},
		{"a version on Ivy Bridge", ivy, []string{"--require", "api=1.3"}, 15, []string{"no device has Vulkan 1.3", never}, []string{"works with it"}},
		{"dynamic rendering on Kepler", kepler, []string{"--require", "extension=VK_KHR_dynamic_rendering"}, 17,
			[]string{"NVIDIA's last driver for it, 470, never offers VK_KHR_dynamic_rendering", "NVK (Mesa) may"}, nil},
		{"Zed on Kepler", kepler, []string{"zed"}, 17, []string{"Zed requires VK_KHR_dynamic_rendering", "470, never offers"}, nil},
		{"DXVK 1.10 on Kepler", kepler, []string{"dxvk-1"}, 0, []string{"All requirements are met."}, []string{never}},
		{"both", kepler, []string{"dxvk-1", "--require", "type=integrated"}, 14, nil, []string{never}},
		{"an old driver", ada, []string{"dxvk"}, 15, []string{"no GPU has Vulkan 1.3"}, []string{never, "last driver"}},
		{"unknown", ada, []string{"frobnicate"}, 2, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Driver("acme", c.device).API("1.2.0")
			out, exit := w.Run(time.Minute, filepath.Join(built, "vkloader"), append([]string{"check"}, c.args...)...)
			squeezed := strings.Join(strings.Fields(out), " ")
			if exit.Code != c.code {
				t.Errorf("exit code %d, %s%s", exit.Code, out, exit.Stderr)
			}
			for _, want := range c.says {
				if !strings.Contains(squeezed, want) {
					t.Errorf("no %q in\n%s", want, out)
				}
			}
			for _, not := range c.lacks {
				if strings.Contains(squeezed, not) {
					t.Errorf("%q in\n%s", not, out)
				}
			}
		})
	}
}

// doctor --app and explain --app name the requirements of a program, and the limit of the machine's device.
func TestProgramThatWantsMore(t *testing.T) {
	t.Parallel()
	kepler := map[string]string{"vendor": "0x10de", "device": "0x128b"}
	for _, c := range []struct {
		name, program string
		content       []byte
		chip          map[string]string
		says          string // "": nothing is wanted that is not offered
		do            string
	}{
		{"by its name", "blender", ofWords("needed=libvulkan.so.1"), map[string]string{"vendor": "0x8086", "device": "0x0166"},
			"HASVK (Mesa) never offers VK_KHR_buffer_device_address: no driver for it will ever meet this", "Use an older release"},
		{"by its library", "chat", ofWords("needed=libggml-vulkan.so.0"), map[string]string{"vendor": "0x8086", "device": "0x0412"},
			"HASVK (Mesa) never offers VK_KHR_16bit_storage", "Use an older release"},
		{"on Kepler", "rpcs3", ofWords("needed=libvulkan.so.1"), kepler, "", ""},
		{"on Kepler, more", "xemu", ofWords("needed=libvulkan.so.1"), kepler, "last driver for it, 470, offers Vulkan 1.2, and not 1.3", ""},
		{"a new chip", "blender", ofWords("needed=libvulkan.so.1"), map[string]string{"vendor": "0x1002", "device": "0x744c"}, "", ""},
		{"unknown", "other", ofWords("needed=libvulkan.so.1"), kepler, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			if _, err := build("testdata/machines/healthy-64.txtar", root); err != nil {
				t.Fatal(err)
			}
			files := map[string][]byte{"opt/" + c.program: c.content}
			places, err := filepath.Glob(filepath.Join(root, "sys/devices/*/vendor"))
			if err != nil || len(places) == 0 {
				t.Fatal(places, err)
			}
			for _, place := range places {
				at, _ := filepath.Rel(root, filepath.Dir(place))
				for name, text := range c.chip {
					files[at+"/"+name] = []byte(text + "\n")
				}
			}
			for name, data := range files {
				if err := put(filepath.Join(root, name), data); err != nil {
					t.Fatal(err)
				}
			}
			var report struct {
				Wants *struct {
					Program, Text, API string
					Extensions, Limits []string
				}
			}
			out, _ := execute(t, "--root", root, "explain", "--json", "--app", "/opt/"+c.program)
			if err := json.Unmarshal([]byte(out), &report); err != nil {
				t.Fatal(err, out)
			}
			if w := report.Wants; (w == nil) != (c.program == "other") || w != nil && (w.Program == "" || w.Text == "" || w.API+strings.Join(w.Extensions, "") == "" ||
				(len(w.Limits) > 0) != (c.says != "") || !strings.Contains(strings.Join(w.Limits, " "), c.says)) {
				t.Errorf("JSON: %+v\n%s", w, out)
			}
			for _, args := range [][]string{{"doctor", "--app", "/opt/" + c.program}, {"explain", "--app", "/opt/" + c.program}} {
				out, _ := execute(t, append([]string{"--root", root}, args...)...)
				squeezed := strings.Join(strings.Fields(out), " ")
				if !strings.Contains(squeezed, c.says) || c.says == "" && (strings.Contains(squeezed, "program-needs") || strings.Contains(squeezed, "ever meet")) ||
					args[0] == "doctor" && !strings.Contains(squeezed, c.do) {
					t.Errorf("%q:\n%s", args, out)
				}
			}
		})
	}
}

// The line of docs/containers.md that waits for a device ends when the device is there, and not before.
func TestLineOfShellWaitsForDevice(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile("../../../docs/containers.md")
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(page), "\n```sh test=wait\n")
	line, _, found := strings.Cut(rest, "```")
	if !found {
		t.Fatal("docs/containers.md has no such line")
	}
	w := world.New(t)
	w.Driver("acme", "device name=big type=discrete")
	programs, mark := t.TempDir(), filepath.Join(t.TempDir(), "mark")
	// At the first call, there is only another driver, which does not exist.
	script := "#!/bin/sh\nif [ ! -e " + mark + " ]; then : > " + mark + "; export VK_DRIVER_FILES=" + mark + ".json; fi\nexec " +
		filepath.Join(built, "vkloader") + " \"$@\"\n"
	if err := binary.WriteProgram(filepath.Join(programs, "vkloader"), []byte(script)); err != nil {
		t.Fatal(err)
	}
	w.Env["PATH"] = programs + ":" + os.Getenv("PATH")
	out, exit := w.Run(time.Minute+time.Second, "/bin/sh", "-c", line)
	out += exit.Stderr
	_, last, met := strings.Cut(out, "Not met: ")
	if exit.Code != 0 || !met || !strings.Contains(last, "All requirements are met.") {
		t.Errorf("exit code %d, %s", exit.Code, out)
	}
}
