package worlds

import (
	"flag"
	"os"
	"strings"
	"testing"

	"vkloader/test/world"
)

var caseFile = flag.String("case", "", "a kept case to be shown on both loaders")

func TestShowCase(t *testing.T) {
	if *caseFile == "" {
		t.Skip()
	}
	text, err := os.ReadFile(*caseFile)
	if err != nil {
		t.Fatal(err)
	}
	d, err := parseCase(text)
	if err != nil {
		t.Fatal(err)
	}
	w := newWorker(t)
	for _, loader := range []string{w.Loader, world.SystemLibrary} {
		w.build(d)
		for _, s := range w.show(d, loader) {
			t.Log(loader, s.name, "\n\t", strings.ReplaceAll(strings.Join(s.lines, "\n\t"), w.Root, "$R"))
		}
	}
}
