package commands

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// tool is the built tool.
var tool = filepath.Join(built, "vkloader")

// submitting is the command line of a program that exits with 0 when every device completes its work.
var submitting = []string{filepath.Join(built, "libexec/vkloader/probe"), "libvulkan.so.1", "submit"}

// diagnosis holds the examined fields of a doctor's report.
type diagnosis struct {
	Verdict      string
	Tried, Works bool
	Probes       []struct{ Kind, Name, Result, Detail string }
	Findings     []struct{ Code, Severity, Subject, What, Do, Because string }
}

// needSys skips a test that counts findings on a machine without /sys, such as a bare root: that is a finding, too.
func needSys(t *testing.T) {
	t.Helper()
	if _, err := os.Stat("/sys/class"); err != nil {
		t.Skip(err)
	}
}

// diagnosed runs doctor --json and requires an exit code.
func diagnosed(t *testing.T, w *world.World, code int, options ...string) diagnosis {
	t.Helper()
	out, exit := w.Run(4*time.Minute, tool, append([]string{"doctor", "--json"}, options...)...)
	var d diagnosis
	if err := json.Unmarshal([]byte(out), &d); err != nil || exit.Code != code {
		t.Fatalf("exit code %d, want %d: %v\n%s%s", exit.Code, code, err, out, exit.Stderr)
	}
	return d
}

func (d *diagnosis) finding(code string) string {
	for _, f := range d.Findings {
		if f.Code == code {
			return f.Severity + " " + f.Subject + ": " + f.What
		}
	}
	return ""
}

// doctor says that drivers and layers work only after their trial, and reports no problem.
func TestDoctorTries(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	if d := diagnosed(t, w, 0, "--timeout", "2m"); !d.Tried || !d.Works || !strings.HasPrefix(d.Verdict, "vkloader null device works; no problems found") {
		t.Errorf("tried: %+v", d)
	}
	if d := diagnosed(t, w, 0, "--timeout", "2m", "--app", "/bin/sh"); !d.Tried || !d.Works {
		t.Errorf("tried for a program: %+v", d)
	}
	needSys(t)
	if d := diagnosed(t, w, 0, "--no-probe"); d.Tried || d.Works || len(d.Probes) > 0 || !strings.HasSuffix(d.Verdict, "; no problems found") ||
		strings.Contains(d.Verdict, "works") {
		t.Errorf("not tried: %+v", d)
	}
	out, exit := w.Run(time.Minute, tool, "--no-probe")
	if exit.Code != 0 || !strings.Contains(out, "no problems found") || len(w.Log()) == 0 {
		t.Errorf("the first screen: %d\n%s", exit.Code, out)
	}
}

// For every effect of a layer on a program, the doctor's first finding names this layer among others.
func TestDoctorNamesTheLayer(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ name, script, code, verdict, detail, limit string }{
		{"instance", "die vkCreateInstance", "layer-crashes", "Broken: VK_LAYER_bad crashes; 1 problem", "in vkCreateInstance", "2m"},
		{"device", "die vkCreateDevice", "layer-crashes", "Broken: VK_LAYER_bad crashes; 1 problem", "while using device 0", "2m"},
		{"submit", "die vkQueueSubmit", "layer-crashes", "Broken: VK_LAYER_bad crashes; 1 problem", "while submitting to device 0", "2m"},
		{"refusal", "error vkCreateInstance -3 before", "layer-fails", "Broken: VK_LAYER_bad fails; 1 problem", "", "2m"},
		{"exit", "leave vkCreateInstance 0", "layer-exits", "Broken: VK_LAYER_bad calls exit; 1 problem", "", "2m"},
		{"hang", "delay vkQueueSubmit 3600000", "layer-hangs", "Broken: VK_LAYER_bad hangs; 1 problem", "", "12s"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, _ := computing(t)
			w.ImplicitLayer("VK_LAYER_bad", "intercept vkQueueSubmit", c.script)
			w.ImplicitLayer("VK_LAYER_four")
			d := diagnosed(t, w, 1, "--timeout", c.limit)
			if !strings.HasPrefix(d.Verdict, c.verdict) || !strings.Contains(fmt.Sprint(d.Probes), c.detail) || d.Works {
				t.Errorf("verdict %q", d.Verdict)
			}
			if !strings.HasPrefix(d.finding(c.code), "problem VK_LAYER_bad: ") {
				t.Errorf("%+v", d.Findings)
			}
			for _, f := range d.Findings {
				if f.Code == c.code && f.Do != "export DISABLE_VK_LAYER_bad=1" {
					t.Errorf("do %q", f.Do)
				}
			}
			out, exit := w.Run(time.Minute, tool)
			waits := strings.Contains(out, "the trial has not finished: ") || strings.Contains(out, "search for the culprit has not finished")
			if named := exit.Code == 1 && strings.HasPrefix(out, "Broken: VK_LAYER_bad"); !named && !waits || strings.Contains(out, "works") {
				t.Errorf("the first screen: %d\n%s", exit.Code, out)
			}
		})
	}
}

// An explicit layer that the program's file names is tried: the program may enable it (gfx-rs/wgpu issue 3712).
func TestDoctorTriesTheNamedLayer(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	w.ExplicitLayer("VK_LAYER_KHRONOS_validation", "die vkCreateDevice")
	w.ExplicitLayer("VK_LAYER_ACME_other", "die vkCreateDevice")
	w.ExplicitLayer("VK_LAYER_LUNARG_screenshot", "die vkCreateDevice") // it writes files
	program := w.Write("game", "VK_LAYER_KHRONOS_validation VK_LAYER_LUNARG_screenshot")
	d := diagnosed(t, w, 0, "--timeout", "2m", "--app", program)
	want := "warning VK_LAYER_KHRONOS_validation: the program names this layer, and may enable it; with it, a short program ended: "
	if got := d.finding("layer-crashes"); !strings.HasPrefix(got, want) || !strings.HasSuffix(d.Verdict, "; 1 warning") || !d.Works {
		t.Errorf("%q\n%q: %+v", got, d.Verdict, d.Findings)
	}
	if d = diagnosed(t, w, 0, "--timeout", "2m"); d.finding("layer-crashes") != "" {
		t.Errorf("without a program: %+v", d.Findings)
	}
}

// A layer that the program names, and that fails beside an implicit layer only, is not blamed for that layer's fault.
// from: KhronosGroup/Vulkan-ValidationLayers issue 11111
func TestDoctorTriesTheNamedLayerWithoutTheOthers(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	named := w.ExplicitLayer("VK_LAYER_KHRONOS_validation")
	w.ImplicitLayer("VK_LAYER_one")
	w.ImplicitLayer("VK_LAYER_two", "die_with vkCreateInstance "+filepath.Base(named.Library))
	program := w.Write("game", "VK_LAYER_KHRONOS_validation")
	d := diagnosed(t, w, 0, "--timeout", "2m", "--app", program)
	want := "warning VK_LAYER_two: the program names VK_LAYER_KHRONOS_validation, and may enable it; with it, a short program ended: "
	if got := d.finding("layer-crashes"); !strings.HasPrefix(got, want) || !strings.HasSuffix(d.Verdict, "; 1 warning") {
		t.Errorf("%q\n%q: %+v", got, d.Verdict, d.Findings)
	}
}

// A layer that takes longer than others is not blamed for the effects of another layer.
func TestDoctorWaitsForSlowLayers(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	for _, slow := range []string{"VK_LAYER_a", "VK_LAYER_c"} {
		w.ImplicitLayer(slow, "intercept vkQueueSubmit", "delay vkQueueSubmit 4000")
	}
	w.ImplicitLayer("VK_LAYER_b", "intercept vkQueueSubmit", "die vkQueueSubmit")
	d := diagnosed(t, w, 1, "--timeout", "2m")
	for _, f := range d.Findings {
		if f.Severity != "note" && (f.Code != "layer-crashes" || f.Subject != "VK_LAYER_b") {
			t.Errorf("%q: %+v", d.Verdict, f)
		}
	}
	if d.finding("layer-crashes") == "" {
		t.Errorf("%q: %+v", d.Verdict, d.Findings)
	}
}

// If two layers do harm only together, doctor names both.
func TestDoctorNamesTheTwo(t *testing.T) {
	t.Parallel()
	w, program := computing(t)
	w.ImplicitLayer("VK_LAYER_a", "intercept vkQueueSubmit", "die_with vkQueueSubmit VK_LAYER_b.so")
	w.ImplicitLayer("VK_LAYER_b")
	w.ImplicitLayer("VK_LAYER_c")
	d := diagnosed(t, w, 1, "--timeout", "2m")
	if !strings.Contains(d.Verdict, "VK_LAYER_a") || !strings.Contains(d.Verdict, "VK_LAYER_b") || !strings.Contains(d.Verdict, "together with") ||
		strings.Contains(d.Verdict, "VK_LAYER_c") {
		t.Errorf("verdict %q", d.Verdict)
	}
	v := hunted(t, w, 1, program)
	if got := fmt.Sprint(v.Culprits, v.With); v.Result != "found" || !strings.Contains(got, "VK_LAYER_a") || !strings.Contains(got, "VK_LAYER_b") {
		t.Errorf("--find-culprit: %+v", v)
	}
}

// doctor names a driver that crashes, also if another one works.
func TestDoctorNamesTheDriver(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	delete(w.Env, "VK_DRIVER_FILES")
	w.Driver("bad", "device name=bad", "die vkCreateDevice")
	w.Env["VK_DRIVER_FILES"] = w.Path("drivers/bad.json") + ":" + filepath.Join(built, "drivers/null_icd.json")
	d := diagnosed(t, w, 1, "--timeout", "2m")
	if !strings.HasPrefix(d.Verdict, "Broken: bad.json crashes; 1 problem") || d.Works {
		t.Errorf("%+v", d)
	}
	if got := d.finding("driver-crashes"); !strings.HasPrefix(got, "problem bad.json: ") || d.finding("layer-crashes") != "" {
		t.Errorf("%+v", d.Findings)
	}
}

// If a variable hides every device, doctor names the variable and no layer.
func TestDoctorNamesTheVariable(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	w.Env["VK_LOADER_DEVICE_ID_FILTER"] = "0x9999"
	d := diagnosed(t, w, 1, "--timeout", "2m")
	if !strings.HasPrefix(d.Verdict, "Broken: VK_LOADER_DEVICE_ID_FILTER=0x9999 ") || d.finding("variable-hides") == "" || d.finding("layer-fails") != "" {
		t.Errorf("%+v", d)
	}
	w.Env["VK_LOADER_VENDOR_ID_FILTER"] = "0x9999" // one problem with two variables, and one fix for both
	d = diagnosed(t, w, 1, "--timeout", "2m")
	if !strings.HasPrefix(d.Verdict, "Broken: VK_LOADER_DEVICE_ID_FILTER=0x9999 and VK_LOADER_VENDOR_ID_FILTER=0x9999 make programs fail") ||
		!strings.Contains(d.Verdict, "; 1 problem") {
		t.Errorf("%+v", d)
	}
	if out, _ := w.Run(time.Minute, tool, "doctor"); !strings.Contains(out, "unset VK_LOADER_DEVICE_ID_FILTER; unset VK_LOADER_VENDOR_ID_FILTER") {
		t.Error(out)
	}
	delete(w.Env, "VK_LOADER_VENDOR_ID_FILTER")
	v := hunted(t, w, 1, submitting, "--fails-with", "exit")
	if v.Result != "found" || fmt.Sprint(v.Culprits) != "[{variable VK_LOADER_DEVICE_ID_FILTER}]" ||
		!strings.HasPrefix(v.Fix, "env -u VK_LOADER_DEVICE_ID_FILTER "+submitting[0]) {
		t.Errorf("--find-culprit: %+v", v)
	}
}

// An exit code of the first run is a failure, unless the user says otherwise. The user also defines one by a text. --find-culprit also
// names a layer that calls exit.
func TestFindCulpritFailures(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name, script string
		options      []string
	}{
		{"exit code", "error vkCreateInstance -3 before", nil},
		{"exit in the layer", "leave vkQueueSubmit 4", []string{"--fails-with", "exit"}},
		{"text", "error vkCreateInstance -3 before", []string{"--fails-when", "gave -3"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w, program := computing(t)
			w.ImplicitLayer("VK_LAYER_bad", "intercept vkQueueSubmit", c.script)
			if c.name != "text" {
				program = submitting
			}
			v := hunted(t, w, 1, program, c.options...)
			if v.Result != "found" || fmt.Sprint(v.Culprits) != "[{layer VK_LAYER_bad}]" {
				t.Errorf("%+v", v)
			}
		})
	}
	w, program := computing(t)
	w.ImplicitLayer("VK_LAYER_bad", "error vkCreateInstance -3 before")
	if v := hunted(t, w, 0, program, "--fails-with", "crash"); v.Result != "fine" {
		t.Errorf("with --fails-with crash: %+v", v)
	}
}

// A command that meets a crash prints the command line that finds the culprit.
func TestCrashSaysWhatToType(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	w.ImplicitLayer("VK_LAYER_bad", "die vkCreateInstance")
	for _, command := range [][]string{{"list", "devices", "--details"}, {"list", "devices"}} {
		out, exit := w.Run(time.Minute, tool, command...)
		if !strings.Contains(out+exit.Stderr, "vkloader run --find-culprit PROGRAM") {
			t.Errorf("%v:\n%s%s", command, out, exit.Stderr)
		}
	}
}

// Where programs get a software renderer before a graphics device, doctor says so, and how to choose. It is silent about an order that the
// user has chosen, and where the graphics device comes first.
func TestSoftwareRendererFirst(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ layer, chosen, want string }{
		"by a layer":       {"reverse_devices", "", "For one program: vkloader run --device nvidia PROGRAM"},
		"by the user":      {"reverse_devices", "10005:0", ""},
		"after the device": {"", "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			w := world.New(t)
			w.Driver("gpu", "device name=GeForce type=discrete vendor=0x10de device=0x2684")
			w.Driver("cpu", "device name=Processor type=cpu vendor=0x10005 device=0")
			w.ImplicitLayer("VK_LAYER_MESA_device_select", c.layer)
			w.Env["MESA_VK_DEVICE_SELECT"] = c.chosen
			out, _ := w.Run(time.Minute, tool)
			out = strings.Join(strings.Fields(out), " ")
			const what = "Processor: it comes before GeForce, so programs that take the first device compute on the CPU"
			if strings.Contains(out, what) != (c.want != "") || !strings.Contains(out, c.want) {
				t.Errorf("%q\n%s", c.want, out)
			}
		})
	}
}
