package ui

import (
	"strings"
	"testing"

	"vkloader/test/lib/binary"
)

// The result of each trial arrives when its child ends, while another driver hangs. At the end, each driver has a result.
func TestTrialsArrive(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	library, err := binary.Parse(strings.Fields("exports=vk_icdGetInstanceProcAddr,vk_icdNegotiateLoaderICDInterfaceVersion code=hang"))
	if err != nil {
		t.Fatal(err)
	}
	s.write("lib/hangs.so", string(library.Bytes()))
	s.write("share/vulkan/icd.d/hangs.json", manifestOf("ICD", map[string]any{"library_path": s.path("lib/hangs.so"), "api_version": "1.3.0"}))
	b := s.serve().page("overview")
	b.click("#try-all")
	b.wait(`Array.from(document.querySelectorAll(".waits li"), (e) => e.textContent).some((t) => t.startsWith("null_icd.json: ok"))`)
	if got := b.text(".waits"); strings.Contains(got, "hangs.json") {
		t.Errorf("the driver that hangs has a result already: %q", got)
	}
	b.wait(`!document.querySelector(".waits") && document.querySelector("main table")`)
	if got := b.text("main table"); !strings.Contains(got, "hangs") || strings.Contains(b.text("main"), "not yet") {
		t.Errorf("at the end: %s", b.shown())
	}
}
