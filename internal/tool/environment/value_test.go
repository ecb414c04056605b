package environment

import (
	"strings"
	"testing"

	"vkloader/internal/core/variables"
)

func TestChecks(t *testing.T) {
	for _, c := range []struct {
		v    variables.ID
		text string
		want string // a part of the fault's text; "" for none
	}{
		{variables.Debug, "error,warn,,implem,dr", ""},
		{variables.Debug, "error, warn", `" warn"`},
		{variables.Debug, "ALL", `"ALL"`},
		{variables.Debug, "warning", "not a known word"},
		{variables.DisableSelect, "1", ""},
		{variables.DisableSelect, " -2x", ""},
		{variables.DisableSelect, "true", "write 1"},
		{variables.DisableUnloading, "1", ""},
		{variables.DisableUnloading, "10", "neither"},
		{variables.DeviceSelect, "0x10DE:2684", ""},
		{variables.DeviceSelect, "10de:2684 or so", ""},
		{variables.DeviceSelect, "10de", "VENDOR:DEVICE"},
		{variables.DeviceSelect, "10dg:1", "VENDOR:DEVICE"},
		{variables.DeviceSelect, ":1", "VENDOR:DEVICE"},
		{variables.VendorIDFilter, "0x10de,0x1002-0x1003,,8:010", ""},
		{variables.VendorIDFilter, "nvidia", "not a number"},
		{variables.VendorIDFilter, "5-", "ends before"},
		{variables.VendorIDFilter, "9-2", "ends before"},
		{variables.LayersDisable, "~implicit~,*hud,~ALL~", ""},
		{variables.LayersEnable, "~implicit~", "not a special word"},
		{variables.LayersEnable, "~All~,**", ""},
		{variables.DriversSelect, "a, b", "space"},
		{variables.DriversSelect, "a*b", "not a wildcard"},
		{variables.DriversSelect, strings.Repeat("a,", 17), "first 16"},
		{variables.DriversSelect, strings.Repeat("~all~,", 17), "first 16"},
		{variables.LayersDisable, strings.Repeat("~all~,", 17), ""},
	} {
		got := checks[c.v](c.text)
		if (got == "") != (c.want == "") || !strings.Contains(got, c.want) {
			t.Errorf("%s=%q: %q, want %q", c.v.Name(), c.text, got, c.want)
		}
	}
}
