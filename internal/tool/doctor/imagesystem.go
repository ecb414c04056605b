package doctor

import (
	"slices"
	"strings"

	"vkloader/internal/tool/machine"
)

// imageKind is how a system is kept whose files no package manager changes while it runs.
type imageKind uint8

const (
	changeable  imageKind = iota
	ostree                // packages are put onto the image with rpm-ostree
	steamOS               // the image is all that there is
	microOS               // packages go into the next snapshot
	declarative           // the system's configuration says what there is
)

// imageOf recognises them.
func imageOf(m *machine.Machine, d *distribution) imageKind {
	switch {
	case d.is("nixos"):
		return declarative
	case d.is("steamos"):
		return steamOS
	case slices.ContainsFunc([]string{"opensuse-microos", "opensuse-aeon", "opensuse-kalpa", "sle-micro", "sl-micro"}, d.is):
		return microOS
	case m.Exists("/run/ostree-booted"):
		return ostree
	}
	return changeable
}

// run is a line of the package manager, in the words of the system.
func (d distribution) run(line string) advice {
	m := d.manager()
	if m == nil {
		return asRoot(line)
	}
	names, again := strings.CutPrefix(line, m.again+" ")
	if !again || m.again == m.install {
		names, again = strings.TrimPrefix(line, m.install+" "), false
	}
	switch d.image {
	case ostree:
		if again {
			return ostreeAgain
		}
		return thenRestart("rpm-ostree install " + names)
	case microOS:
		if again {
			return thenRestart("transactional-update pkg install --force " + names)
		}
		return thenRestart("transactional-update pkg install " + names)
	case steamOS:
		return ofSteamOS
	}
	return asRoot(line)
}

// thenRestart is a line for root that counts from the next start of the machine on.
func thenRestart(command string) advice {
	do := asRoot(command)
	do.text += "; then restart the machine"
	return do
}
