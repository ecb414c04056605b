package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"vkloader/internal/decide/machine"
	"vkloader/internal/tool/bundle"
	"vkloader/test/lib/binary"
)

// TestMain runs the tool itself in the child processes that bundle starts.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "bundle" {
		os.Exit(Main(os.Args, os.Environ(), os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// A part whose child process crashes, hangs or prints invalid output is reported as failed, and the others are made.
func TestBundleOfFailures(t *testing.T) {
	t.Parallel()
	self := filepath.Join(t.TempDir(), "tool")
	if err := binary.WriteProgram(self, []byte(`#!/bin/sh
case $3 in
explain.json) echo "panic: a fault" >&2; exit 2 ;;
doctor.json) exec sleep 1000 ;;
paths.json) echo nonsense ;;
variables.json) kill -SEGV $$ ;;
*) exec "$TOOL" "$@" ;;
esac
`)); err != nil {
		t.Fatal(err)
	}
	root := t.TempDir()
	s := &invocation{self: self, root: root, environ: []string{"PATH=" + os.Getenv("PATH"), "TOOL=" + os.Args[0]}}
	var parts []bundle.Part
	late := func(p bundle.Part) bool {
		return p.Name != "doctor.json" && strings.Contains(p.Failed, "not finished within")
	}
	for limit := time.Second; limit < time.Minute; limit *= 2 { // a busy machine needs longer for the children
		parts = bundleParts(s, &machine.Source{Machine: machine.Machine{Root: root}}, gathering{still: true, limit: limit, whole: 10 * limit})
		if !slices.ContainsFunc(parts, late) {
			break
		}
	}
	for name, want := range map[string]string{"explain.json": "panic: a fault", "doctor.json": "not finished within", "paths.json": "invalid character",
		"variables.json": "signal", "system.txt": ""} {
		at := slices.IndexFunc(parts, func(p bundle.Part) bool { return p.Name == name })
		if at < 0 || !strings.Contains(parts[at].Failed, want) || (want == "") != (parts[at].Failed == "") || !strings.Contains(parts[at].Text, want) {
			t.Errorf("%s: %+v", name, parts)
		}
	}
}
