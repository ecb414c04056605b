package table

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func tables(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func table(match, url string) string {
	return `{"match":[` + match + `],"icds":[{"component_url":"` + url + `","flags":1}]}`
}

// holds: PRO-028 FLS-054 FLS-044
func TestMatches(t *testing.T) {
	t.Parallel()
	dir := tables(t, map[string]string{
		"10-amd.json":      table(`{"module":"amdgpu","pci_vendor":"1002","pci_devices":["7300-73ff","1234"]}`, "navi"),
		"20-amd.json":      table(`{"module":"amdgpu"}`, "radeon"),
		"30-broken.json":   `{`,
		"40-arm.json":      table(`{"compatible":"arm,mali"},{"pci_vendor":"13b5"}`, "mali"),
		"45-all.json":      table(`{},{"pci_devices":["0-ffff"]}`, "everything"),
		"50-virtual.json":  `{"match":[{"module":"virtio_gpu"}],"emulated":true,"icds":[]}`,
		"60-late.json":     table(`{"module":"amdgpu"}`, "late"),
		"70-ignored.jsonx": table(`{"module":"i915"}`, "x"),
	})
	second := tables(t, map[string]string{"00.json": table(`{"module":"amdgpu"},{"module":"xe"}`, "pkg://other/xe")})
	for want, d := range map[string]Device{
		"navi": {Module: "amdgpu", Vendor: "1002", Product: "73bf"}, "radeon": {Module: "amdgpu", Vendor: "1002", Product: "7400"},
		"mali": {Compatible: []string{"x", "arm,mali"}}, "pkg://other/xe": {Module: "xe"}, "": {Module: "i915"},
	} {
		a, wrong := Lookup([]string{dir, second, "/nowhere"}, d)
		got := ""
		if len(a.Entries) > 0 {
			got = a.Entries[0].URL
		}
		if want != "" && !strings.Contains(want, ":") {
			want = "file://" + dir + "/" + want
		}
		if got != want || a.Emulated {
			t.Errorf("%+v: %q, want %q", d, got, want)
		}
		if reached := want != "file://"+dir+"/navi" && want != "file://"+dir+"/radeon"; reached != (len(wrong) == 1) {
			t.Errorf("%+v: %v", d, wrong)
		}
	}
	if a, _ := Lookup([]string{dir}, Device{Module: "virtio_gpu"}); !a.Emulated || len(a.Entries) != 0 {
		t.Errorf("%+v", a)
	}
}

// holds: FLS-054 FLS-056 PRO-028
func TestEntries(t *testing.T) {
	t.Parallel()
	list := []json.RawMessage{json.RawMessage(`{"flags":1}`), json.RawMessage(`{"component_url":"a"}`), json.RawMessage(`{"component_url":"a","flags":"1"}`)}
	for i := range 9 {
		list = append(list, json.RawMessage(fmt.Sprintf(`{"component_url":"pkg://t/%d","flags":%d}`, i, i)))
	}
	a := Entries(list, "/base")
	if len(a.Entries) != 8 || a.Entries[0].URL != "pkg://t/0" || a.Entries[7].Flags != 7 || len(a.Wrong) != 4 {
		t.Errorf("%+v", a)
	}
}
