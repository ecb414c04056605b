package drivers

import (
	"slices"
	"testing"

	"vkloader/internal/decide/machine"
	"vkloader/test/lib/tree"
)

// The number of a node in a machine's files cannot lead to another node, which a container would then get.
func TestNumberIsNoPath(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	tree.Lay(t, dir, map[string]string{
		"dev/nvidiactl": "", "dev/nvidia0": "", "dev/nvidia/x": "", "dev/sda": "",
		"dev/nvidia-caps/nvidia-cap/x": "", "dev/nvidia-caps/nvidia-cap1": "",
		"proc/driver/nvidia/gpus/0000:01:00.0/information":        "Device Minor: /../sda\n",
		"proc/driver/nvidia/gpus/0000:02:00.0/information":        "Device Minor: 0\n",
		"proc/driver/nvidia/capabilities/gpu0/mig/gi1/access":     "DeviceFileMinor: /../../sda\n",
		"proc/driver/nvidia/capabilities/gpu0/mig/gi1/ci0/access": "DeviceFileMinor: 1\n",
		"proc/driver/nvidia/capabilities/gpu0/mig/gi2/access":     "DeviceFileMinor: 1\n",
		"proc/driver/nvidia/capabilities/gpu0/mig/gi2/ci0/access": "DeviceFileMinor: 1\n",
		"proc/driver/nvidia/capabilities/gpu0/mig/gi2/ci1/access": "DeviceFileMinor: 1/../../sda\n",
	})
	var nodes []string
	for _, g := range GPUs(&machine.Machine{Root: dir}) {
		nodes = append(nodes, g.Nodes...)
		for _, p := range g.Parts {
			nodes = append(append(nodes, p.Name), p.Nodes...)
		}
	}
	const part = "/dev/nvidia-caps/nvidia-cap1"
	if want := []string{"/dev/nvidiactl", "/dev/nvidia0", "gi2-ci0", part, part}; !slices.Equal(nodes, want) {
		t.Errorf("got %q, want %q", nodes, want)
	}
}
