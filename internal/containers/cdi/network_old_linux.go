//go:build cdi1_0

package cdi

import specs "tags.cncf.io/container-device-interface/specs-go"

// Release 1.0 of the module container-device-interface, Debian's, has no network devices: CDI files get them with version 1.1, which
// this build reports as a version that it does not know. The tag cdi1_0 selects this file (debian/rules).

// networks returns 0.
func networks(*specs.ContainerEdits) int { return 0 }

// networkEdits returns nil.
func networkEdits(*specs.ContainerEdits) error { return nil }
