package discover

import (
	"testing"
)

// The messages about too few devices have the grammar of their numbers.
func TestTooFewDevices(t *testing.T) {
	t.Parallel()
	report := func(types ...DeviceType) *Report {
		r := &Report{}
		for _, of := range types {
			r.Devices = append(r.Devices, Device{Name: "d", Type: of})
		}
		return r
	}
	cpu, gpu := CPU, Discrete
	for _, c := range []struct {
		need   Requirement
		report *Report
		want   string
	}{
		{Requirement{NotCPU: true, Count: 2}, report(gpu, cpu), "2 devices are required, and only 1 is a GPU: "},
		{Requirement{NotCPU: true, Count: 3}, report(gpu, gpu, cpu), "3 devices are required, and only 2 are GPUs: "},
		{Requirement{Type: gpu, Count: 3}, report(gpu, gpu, cpu), "3 devices are required, and only 2 are of the type discrete: "},
		{Requirement{Extensions: []string{"VK_x"}, Count: 3}, &Report{Devices: []Device{{Name: "d", Extensions: []string{"VK_x"}},
			{Name: "d", Extensions: []string{"VK_x"}}, {Name: "d"}}}, "3 devices are required, and only 2 have VK_x: "},
		{Requirement{Count: 2}, report(gpu), "there is 1 device; 2 are required"},
		{Requirement{Count: 3}, report(gpu, gpu), "there are 2 devices; 3 are required"},
	} {
		err := c.need.Check(c.report)
		if err == nil || len(err.Error()) < len(c.want) || err.Error()[:len(c.want)] != c.want {
			t.Errorf("%v, not %s", err, c.want)
		}
	}
}
