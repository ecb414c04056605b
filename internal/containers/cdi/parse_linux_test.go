package cdi

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	cncf "tags.cncf.io/container-device-interface/pkg/cdi"
)

// rejected has texts of files, and for each a part of the message about it; "" for an accepted file.
var rejected = map[string]string{
	`{cdiVersion: 0.5.0, kind: aa/bb, devices: [{name: x, containerEdits: {env: [A=b]}}]}`:                                              "",
	`{cdiVersion: 0.3.0, kind: aa/bb, devices: [{name: x, containerEdits: {deviceNodes: [{path: /dev/a, type: c}]}}]}`:                  "",
	`{cdiVersion: 0.7.0, kind: aa/bb, devices: [{name: x, containerEdits: {additionalGids: [44]}}]}`:                                    "",
	`{cdiVersion: 0.5.0, kind: aa/bb, devices: [{name: x, containerEdits: {hooks: [{hookName: poststop, path: /a}]}}]}`:                 "",
	`{cdiVersion: 0.5.0, kind: aa/bb, devices: [{name: x, containerEdits: {}}]}`:                                                        "it changes nothing",
	`{cdiVersion: 0.5.0, kind: aa/bb, devices: [{name: x}]}`:                                                                            "it changes nothing",
	`{cdiVersion: 0.5.0, kind: aa/bb, devices: [{name: x, containerEdits: {env: [A=b], mount: []}}]}`:                                   "mount",
	`{cdiVersion: 0.5.0, kind: aa/bb, containerEdit: {}, devices: [{name: x, containerEdits: {env: [A=b]}}]}`:                           "containerEdit",
	`{cdiVersion: 0.5.0, kind: aa/bb, devices: [{name: x, containerEdits: {hooks: [{hookName: create, path: /a}]}}]}`:                   `the name "create"`,
	`{cdiVersion: 0.5.0, kind: aa/bb, devices: [{name: x, containerEdits: {hooks: [{hookName: poststop, path: /a, env: [A]}]}}]}`:       "not NAME=VALUE",
	`{cdiVersion: 0.5.0, kind: aa/bb, devices: [{name: x, containerEdits: {env: ["=b"]}}]}`:                                             "not NAME=VALUE",
	`{cdiVersion: 0.5.0, kind: aa/bb, devices: [{name: x, containerEdits: {deviceNodes: [{path: /a, type: x}]}}]}`:                      `the type "x"`,
	`{cdiVersion: 0.5.0, kind: aa/bb, devices: [{name: x, containerEdits: {deviceNodes: [{path: /a, permissions: rx}]}}]}`:              `the permissions "rx"`,
	`{cdiVersion: 0.4.0, kind: aa/bb, devices: [{name: "0", containerEdits: {env: [A=b]}}]}`:                                            "at least v0.5.0",
	`{cdiVersion: 0.5.0, kind: aa/bb.c, devices: [{name: x, containerEdits: {env: [A=b]}}]}`:                                            "at least v0.6.0",
	`{cdiVersion: 0.3.0, kind: aa/bb, devices: [{name: x, containerEdits: {mounts: [{hostPath: a, containerPath: /b, type: tmpfs}]}}]}`: "at least v0.4.0",
	`{cdiVersion: 0.6.0, kind: aa/bb, devices: [{name: x, containerEdits: {additionalGids: [44]}}]}`:                                    "at least v0.7.0",
	`{cdiVersion: 0.5.0, kind: aa/bb, devices: []}`:                                                                                     "no devices",
	``:                    "empty",
	`{"a": [1, 2]}`:       "it is no CDI file: cdiVersion, kind and devices are not in it",
	"hello\n":             "it is no CDI file: cdiVersion, kind",
	"[1]":                 "it is no CDI file: cdiVersion, kind",
	"a: b\n\tc":           "it is no CDI file: line 2: found a tab",
	"\x7fELF\x02\x01\x01": "it is no CDI file: control characters",
	"cdiVersion: 0.5.0\nkind: aa/bb\ndevices: all\n": `line 3: the value "all" is of the wrong type`,
}

// Parse rejects the same files as the library of the runtimes, which gets the same cases.
func TestParseAsRuntimesDo(t *testing.T) {
	t.Parallel()
	for text, why := range rejected {
		_, err := Parse([]byte(text))
		if why == "" && err != nil || why != "" && (err == nil || !strings.Contains(err.Error(), why)) {
			t.Errorf("%s: %v, want %q", text, err, why)
		}
		if err != nil && (strings.Contains(err.Error(), "specs.") || strings.Contains(err.Error(), "unmarshal")) {
			t.Errorf("%s: %v", text, err)
		}
		file := filepath.Join(t.TempDir(), "a.yaml")
		if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := cncf.ReadSpec(file, 0); (err == nil) != (why == "") {
			t.Errorf("%s: the runtimes' library says %v", text, err)
		}
	}
}

// Names of one letter are valid. The runtimes' library does not get this case, because its release 1.0.1 panics.
func TestParseNamesOfOneLetter(t *testing.T) {
	t.Parallel()
	spec, err := Parse([]byte(`{cdiVersion: 0.5.0, kind: a/b, devices: [{name: x, containerEdits: {env: [A=b]}}]}`))
	if err != nil || spec.Kind != "a/b" {
		t.Errorf("%v, %v", spec, err)
	}
	for _, kind := range []string{"1/b", "a/_", "a/", "/b"} {
		if _, err := Parse([]byte(`{cdiVersion: 0.6.0, kind: "` + kind + `", devices: [{name: x, containerEdits: {env: [A=b]}}]}`)); err == nil {
			t.Errorf("kind %s is accepted", kind)
		}
	}
}
