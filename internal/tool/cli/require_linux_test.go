package cli

import (
	"encoding/json"
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
