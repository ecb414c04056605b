package cli

import (
	"encoding/json"
	"strings"
	"testing"

	"vkloader/discover"
	"vkloader/internal/tool/exit"
)

// twoDevices is a child process that lists a discrete device and a CPU device.
const twoDevices = `
cat <<'END'
{"event":"library","path":"/m/libvulkan.so.1"}
{"event":"done","phase":"create instance","round":1,"us":1,"result":0}
{"event":"device","index":0,"name":"Card","type":2,"api_version":4206592,"vendor_id":4318,"device_id":9860,"pci":"0000:01:00.0","driver_id":4,"device_uuid":"0123456789abcdef0123456789abcdef","vram_bytes":8589934592}
{"event":"device_extensions","index":0,"names":["VK_KHR_ray_query"]}
{"event":"device","index":1,"name":"llvmpipe","type":4,"api_version":4210688,"vendor_id":65541,"device_uuid":"02","vram_bytes":1024}
{"event":"end"}
END
`

// The exit code of check identifies the unmet requirement.
func TestCheck(t *testing.T) {
	t.Parallel()
	s, out, errOut := world(t, twoDevices)
	for text, want := range map[string]int{"": exit.Fine, "api=1.4": exit.Fine, "api=1.4,not=cpu": 15, "not=cpu": exit.Fine, "vendor=amd": 13, "type=integrated": 14,
		"vram=9G": 16, "extension=VK_KHR_ray_query": exit.Fine, "extension=VK_NONE": 17, "count=3": 18, "not=cpu,count=2": 18, "api=next": exit.Usage,
		"api=1.3,type=discrete,vram=8G,extension=VK_KHR_ray_query,count=1,vendor=nvidia,not=cpu": exit.Fine} {
		out.Reset()
		if code := runLine(s, []string{"check", "--require", text}); code != want {
			t.Errorf("%q: %d, want %d\n%s%s", text, code, want, out, errOut)
		}
	}
	out.Reset()
	if code := runLine(s, []string{"check", "--json", "--require", "type=discrete", "--require", "api=1.4"}); code != 15 {
		t.Errorf("exit code %d", code)
	}
	var got discover.Verdict
	if err := json.Unmarshal(out.Bytes(), &got); err != nil || got.Met || got.Code != "api" || got.Require != "api=1.4,type=discrete" || len(got.Devices) != 2 ||
		got.Devices[0].ID != "pci-0000:01:00.0" || got.Devices[0].Meets {
		t.Errorf("%+v, %v", got, err)
	}
	for script, want := range map[string]int{`echo '{"event":"start"}'; kill -SEGV $$`: exit.Problems, `echo '{"event":"start"}'; exit 1`: 11, "exit 1": exit.NotLooked,
		`echo '{"event":"done","phase":"create instance","round":1,"us":1,"result":-9}'; exit 1`: 10} {
		s, out, errOut := world(t, script)
		if code := runLine(s, []string{"check"}); code != want {
			t.Errorf("%s: %d, want %d\n%s%s", script, code, want, out, errOut)
		}
	}
}

// The map has the other names of each device, and env --for prints the variables.
func TestMapAndVariables(t *testing.T) {
	t.Parallel()
	s, out, errOut := world(t, twoDevices)
	if code := runLine(s, []string{"list", "devices", "--map"}); code != exit.Fine || !strings.Contains(out.String(), "GPU-01234567-89ab-cdef-0123-456789abcdef") ||
		!strings.Contains(out.String(), "GGML_VK_VISIBLE_DEVICES=1; not used without it") {
		t.Errorf("%d\n%s%s", code, out, errOut)
	}
	for line, want := range map[string]string{
		"--for ggml --device llvmpipe": "GGML_VK_VISIBLE_DEVICES=1\n", "--for cuda --device 01:00.0": "CUDA_VISIBLE_DEVICES=GPU-01234567-89ab-cdef-0123-456789abcdef\n",
		"--for mesa --device 0": "MESA_VK_DEVICE_SELECT='10de:2684!'\n", "--for dri --device 0": "DRI_PRIME='pci-0000_01_00_0!'\n", "--for cuda --device 1": "", "--for opencl --device 0": "",
		"--for ggml": "", "--device 0": ""} {
		out.Reset()
		code := runLine(s, append([]string{"list", "variables", "--set"}, strings.Fields(line)...))
		if out.String() != want || (code == exit.Fine) != (want != "") {
			t.Errorf("%s: %d %q, want %q\n%s", line, code, out, want, errOut)
		}
	}
}
