//go:build !cdi1_0

package cdi

import "maps"

// Cases for CDI 1.1; builds with the tag cdi1_0 leave them out.
func init() {
	maps.Copy(rejected, map[string]string{
		`{cdiVersion: 1.0.0, kind: aa/bb, devices: [{name: x, containerEdits: {netDevices: [{hostInterfaceName: a, name: b}]}}]}`: "at least v1.1.0",
		`{cdiVersion: 1.1.0, kind: aa/bb, devices: [{name: x, containerEdits: {netDevices: [{hostInterfaceName: a}]}}]}`:          "without a name",
		`{cdiVersion: 1.1.0, kind: aa/bb, devices: [{name: x, containerEdits: {intelRdt: {closID: a/b}}}]}`:                       "closID",
	})
}
