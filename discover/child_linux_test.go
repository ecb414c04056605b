package discover_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"
	"time"

	"vkloader/discover"
)

// TestMain is also the child of a probe; a script defines its events and its end.
func TestMain(m *testing.M) {
	if script := os.Getenv("VK_DISCOVER_CHILD"); script != "" && len(os.Args) == 2 {
		child(script)
	}
	os.Exit(m.Run())
}

// child follows the lines of a script. A JSON object is an event. "crash" and "hang" make the child crash or hang.
func child(script string) {
	events := os.NewFile(3, "events")
	lines := bufio.NewScanner(strings.NewReader(script))
	for lines.Scan() {
		if line := lines.Text(); strings.HasPrefix(line, "{") {
			fmt.Fprintln(events, line)
			continue
		}
		switch lines.Text() {
		case "crash":
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		case "hang":
			time.Sleep(time.Hour)
		}
	}
	fmt.Fprintln(events, `{"event":"end"}`) // the report of a child that no library has ended
	os.Exit(0)
}

const (
	create = `{"event":"begin","phase":"create instance","round":1}`
	made   = `{"event":"done","phase":"create instance","round":1,"us":1,"result":0}`
	none   = `{"event":"done","phase":"create instance","round":1,"us":1,"result":-9}`
	gpu    = `{"event":"device","index":0,"name":"Radeon","type":2,"api_version":4206592,"vendor_id":4098,"device_id":1,"device_uuid":"01","pci":"0000:03:00.0","vram_bytes":8589934592}
{"event":"device_extensions","index":0,"names":["VK_KHR_ray_query","VK_KHR_swapchain"]}`
	cpu = `{"event":"device","index":1,"name":"llvmpipe","type":4,"api_version":4206592,"vendor_id":65541,"device_id":0,"device_uuid":"02","vram_bytes":1048576}`
)

// scripted are options for a child with a script.
func scripted(t *testing.T, limit time.Duration, lines ...string) discover.ProbeOptions {
	t.Helper()
	own, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return discover.ProbeOptions{Child: own, Limit: limit, Env: []string{"PATH=" + os.Getenv("PATH"), "VK_DISCOVER_CHILD=" + strings.Join(lines, "\n")}}
}

// The child's events become the report: the devices, or how and in which phase the child ended.
func TestProbe(t *testing.T) {
	t.Parallel()
	report, err := discover.Probe(t.Context(), scripted(t, time.Minute, create, made, gpu, cpu))
	if err != nil || report.Outcome != discover.Fine || len(report.Devices) != 2 {
		t.Fatalf("%+v, %v", report, err)
	}
	d := report.Devices[0]
	if d.Type != discover.Discrete || d.APIVersion != discover.V1_3 || d.ID() != "pci-0000:03:00.0" || len(d.Extensions) != 2 || d.TypeText == "" {
		t.Errorf("%+v", d)
	}
	if id := report.Devices[1].ID(); id != "uuid-02" {
		t.Error(id)
	}
	report, err = discover.Probe(t.Context(), scripted(t, time.Minute, create, "crash"))
	if err != nil || report.Outcome != discover.Crashed || report.Phase != "create instance" || report.Signal == "" || !strings.Contains(report.Problem, report.Signal) {
		t.Errorf("a crash: %+v, %v", report, err)
	}
	for limit := 500 * time.Millisecond; ; limit *= 2 { // on a busy machine the child needs longer to report its phase
		report, err = discover.Probe(t.Context(), scripted(t, limit, create, "hang"))
		if err != nil && limit < time.Minute { // it did not even write its first line
			continue
		}
		if err != nil || report.Outcome != discover.Hung || report.Phase != "create instance" && limit > time.Minute {
			t.Fatalf("a hang: %+v, %v", report, err)
		}
		if report.Phase == "create instance" {
			break
		}
	}
	report, err = discover.Probe(t.Context(), scripted(t, time.Nanosecond, create, "hang"))
	if err != nil || report.Outcome != discover.Hung {
		t.Errorf("a limit that ends before the child's start: %+v, %v", report, err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if report, err := discover.Probe(ctx, scripted(t, time.Minute, create, "hang")); !errors.Is(err, context.DeadlineExceeded) || report != nil {
		t.Errorf("a context that is over: %+v, %v", report, err)
	}
	if _, err := discover.Probe(t.Context(), discover.ProbeOptions{Child: "/no/such/probe", Env: []string{}}); !errors.Is(err, discover.ErrNoProbe) {
		t.Errorf("without a child: %v", err)
	}
}

// built returns the path of a file in the build tree.
func built(t *testing.T, name string) string {
	t.Helper()
	path, err := filepath.Abs(filepath.Join("../build", name))
	if err == nil {
		_, err = os.Stat(path)
	}
	if err != nil {
		t.Fatalf("run make first: %v", err)
	}
	return path
}

// The real child finds the device of a real driver through the real loader, and the tool prints the same data.
func TestProbeOfNullDriver(t *testing.T) {
	t.Parallel()
	options := discover.ProbeOptions{Child: built(t, "libexec/vkloader/probe"), Library: built(t, "libvulkan.so.1"),
		Env: []string{"VK_DRIVER_FILES=" + built(t, "drivers/null_icd.json"), "HOME=" + t.TempDir()}}
	report, err := discover.Probe(t.Context(), options)
	if err != nil || report.Outcome != discover.Fine || len(report.Devices) != 1 || report.Library == "" {
		t.Fatalf("%+v, %v", report, err)
	}
	list, _ := asChild(t, options.Env, "list", "devices", "--details").(map[string]any)
	info, _ := list["details"].(map[string]any)
	times, _ := info["times"].([]any)
	chain, _ := info["chain"].([]any)
	if len(times) == 0 || len(chain) < 3 || chain[0] != "program" || chain[1] != "loader" || chain[len(chain)-1] != "drivers" {
		t.Errorf("%v", info)
	}
	devices, _ := list["devices"].([]any)
	if len(devices) == 0 || devices[0].(map[string]any)["in"] != true {
		t.Fatalf("%v", list)
	}
	delete(devices[0].(map[string]any), "in") // only the tool looks for the reason why a device is hidden, with further children
	if !reflect.DeepEqual(said(t, report.Devices[0]), devices[0]) {
		t.Errorf("%v\nthe tool: %v", report.Devices[0], devices[0])
	}
	for text, met := range map[string]bool{"": true, "not=cpu,api=1.0,count=1": false, "vram=1T": false} {
		required, err := discover.ParseRequirement(text)
		if err != nil {
			t.Fatal(err)
		}
		verdict := required.Verdict(report)
		if want := asChild(t, options.Env, "check", "--library", options.Library, "--require", text); !reflect.DeepEqual(said(t, verdict), want) || verdict.Met != met {
			t.Errorf("%v\nthe tool: %v", said(t, verdict), want)
		}
	}
	required := discover.Requirement{API: discover.V1_0, Extensions: report.Devices[0].Extensions[:1]}
	if err := required.Check(report); err != nil {
		t.Error(err)
	}
	options.Env = []string{"VK_DRIVER_FILES=/none.json"}
	if report, err = discover.Probe(t.Context(), options); err != nil || report.Outcome != discover.Failed {
		t.Fatalf("%+v, %v", report, err)
	}
	if err := (&discover.Requirement{}).Check(report); !errors.Is(err, discover.ErrNoDriver) {
		t.Error(err)
	}
}

// asChild returns the JSON that the built tool prints.
func asChild(t *testing.T, environ []string, args ...string) (answer any) {
	t.Helper()
	cmd := exec.Command(built(t, "vkloader"), append(args, "--json")...)
	cmd.Env = environ
	out, _ := cmd.Output() // unmet requirements are no failure of the test
	if err := json.Unmarshal(out, &answer); err != nil {
		t.Fatalf("%s: %v\n%s", args, err, out)
	}
	return answer
}

// Requirements are checked in a fixed order, and the error names the first unmet one.
func TestRequirement(t *testing.T) {
	t.Parallel()
	report, err := discover.Probe(t.Context(), scripted(t, time.Minute, create, made, gpu, cpu))
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]discover.UnmetCode{
		"": "", "api=1.3": "", "api=1.3.200": discover.UnmetAPI, "api=1.4": discover.UnmetAPI, "type=discrete": "", "type=integrated": discover.UnmetType,
		"vram=8G": "", "vram=8.1GiB": discover.UnmetVRAM, "vram=8192M": "", "extension=VK_KHR_ray_query": "",
		"extension=VK_KHR_ray_query,extension=VK_NV_x": discover.UnmetExtension, "count=2": "", "count=3": discover.UnmetCount, "not=cpu,count=2": discover.UnmetCount,
		"vendor=amd": "", "vendor=1002": "", "vendor=0x10de": discover.UnmetVendor, "vendor=nvidia, not=cpu": discover.UnmetVendor, "type=cpu,not=cpu": discover.UnmetType,
		"api=1.3,type=discrete,vram=8G,extension=VK_KHR_ray_query,count=1,vendor=amd,not=cpu": "",
	} {
		required, err := discover.ParseRequirement(text)
		if err != nil {
			t.Fatal(err)
		}
		if again, err := discover.ParseRequirement(required.String()); err != nil || !reflect.DeepEqual(required, again) {
			t.Errorf("%s: %s, %v", text, required, err)
		}
		err = required.Check(report)
		var unmet *discover.UnmetError
		if (err == nil) != (want == "") || err != nil && (!errors.As(err, &unmet) || unmet.Code != want || !errors.Is(err, discover.ErrNoDevice) || errors.Is(err, discover.ErrNoDriver)) {
			t.Errorf("%s: %v", text, err)
		}
	}
	for _, text := range []string{"api", "api=one", "api=1", "type=big", "vram=much", "count=0", "not=gpu", "size=1", "api="} {
		if required, err := discover.ParseRequirement(text); err == nil {
			t.Errorf("%s: %+v", text, required)
		}
	}
	for _, c := range []struct {
		lines []string
		want  discover.UnmetCode
	}{{[]string{create, none}, discover.UnmetDriver}, {[]string{create, made}, discover.UnmetDevice}, {[]string{create, "crash"}, discover.UnmetHealth}} {
		if report, err = discover.Probe(t.Context(), scripted(t, time.Minute, c.lines...)); err != nil {
			t.Fatal(err)
		}
		var unmet *discover.UnmetError
		if err := (&discover.Requirement{}).Check(report); !errors.As(err, &unmet) || unmet.Code != c.want {
			t.Errorf("%s: %v", c.lines, err)
		}
	}
}
