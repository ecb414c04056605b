//go:build !cdi1_0

package cdi

import (
	"errors"
	"fmt"
	"slices"

	specs "tags.cncf.io/container-device-interface/specs-go"
)

// networks returns the number of network devices in edits.
func networks(e *specs.ContainerEdits) int { return len(e.NetDevices) }

// networkEdits checks the network devices of edits.
func networkEdits(e *specs.ContainerEdits) error {
	var there, here []string
	for _, d := range e.NetDevices {
		switch {
		case d == nil || d.HostInterfaceName == "" || d.Name == "":
			return errors.New("a network device without a name")
		case slices.Contains(there, d.HostInterfaceName) || slices.Contains(here, d.Name):
			return fmt.Errorf("the network device %s is there twice", d.HostInterfaceName)
		}
		there, here = append(there, d.HostInterfaceName), append(here, d.Name)
	}
	return nil
}
