package cli

import (
	"os"
	"strings"
	"testing"

	"vkloader/internal/core/plan"
	"vkloader/internal/decide/loaders"
	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/run"
)

// A program that works only with the loader that vkloader brings is told so (found in a search for it: its dynamic
// linker finds no loader).
func TestCulpritWithoutLoader(t *testing.T) {
	s, _, errOut := world(t, goodRun)
	ours := &loaders.Loader{File: "/opt/vkloader/libvulkan.so.1", Release: "1.0.0"}
	for failure, code := range map[string]string{"Culprit: the loader libvulkan.so.1, which the program does not find without vkloader": "127", "": "0"} {
		args := []string{"sh", "-c", "exit " + code}
		h := &hunt{s: s, program: run.Program{Path: "/bin/sh", Args: args}, out: os.Stdout, talk: s.talk(), used: ours, bare: true, usedLoader: true,
			scene: run.Scene{Source: &machine.Source{}, Answer: &plan.Answer{}}}
		h.exits, h.usual = true, s.environ
		found, err := h.withUsual()
		if err != nil || found == nil != (failure == "") {
			t.Fatalf("exit code %s: %+v, %v", code, found, err)
		}
		if found == nil {
			continue
		}
		if printVerdict(s, h.verdict(found, h.other), false); !strings.Contains(errOut.String(), failure) || !strings.Contains(errOut.String(), "do    vkloader run -- sh") {
			t.Errorf("no %q in %s", failure, errOut)
		}
	}
}
