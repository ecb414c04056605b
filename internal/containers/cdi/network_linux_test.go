//go:build !cdi1_0

package cdi

import "maps"

// Files of CDI 1.1, which the tag cdi1_0 leaves out.
func init() {
	maps.Copy(rejected, map[string]string{
		`{cdiVersion: 1.0.0, kind: aa/bb, devices: [{name: x, containerEdits: {netDevices: [{hostInterfaceName: a, name: b}]}}]}`: "at least v1.1.0",
		`{cdiVersion: 1.1.0, kind: aa/bb, devices: [{name: x, containerEdits: {netDevices: [{hostInterfaceName: a}]}}]}`:          "without a name",
		`{cdiVersion: 1.1.0, kind: aa/bb, devices: [{name: x, containerEdits: {intelRdt: {closID: a/b}}}]}`:                       "closID",
	})
}
