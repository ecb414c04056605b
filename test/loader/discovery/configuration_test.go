package discovery

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

func uuid(n int) string {
	return "[" + strings.TrimSuffix(strings.Repeat(fmt.Sprint(n)+",", 16), ",") + "]"
}

func uuidText(n int) string {
	h := strings.Repeat(fmt.Sprintf("%02x", n), 16)
	return h[:8] + "-" + h[8:12] + "-" + h[12:16] + "-" + h[16:20] + "-" + h[20:]
}

// configured returns an entry for a device of the world below.
func configured(device, driver, version int, more string) string {
	return fmt.Sprintf(`{"deviceUUID":%s,"driverUUID":%s,"driverVersion":%d%s}`, uuid(device), uuid(driver), version, more)
}

func configurations(entries ...string) string {
	return `{"device_configurations":[` + strings.Join(entries, ",") + `]}`
}

// devices creates two drivers with three devices; without configurations their order is c, a, b.
func devices(t *testing.T) *world.World {
	w := loud(t)
	w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
	w.Driver("one", "api 1.3.0", "ext VK_KHR_get_physical_device_properties2", "device name=a api=1.2.0 uuid=1 driver_uuid=7 driver_version=3 driver_name=Acme", "device name=b api=1.1.0 uuid=2 driver_uuid=7 driver_version=3 ext=VK_KHR_maintenance1").
		API("1.3.0").MoveManifest("system" + driverDirectory)
	w.Driver("two", "api 1.3.0", "device name=c api=1.1.0 uuid=2 driver_uuid=7 driver_version=4 driver_name=Gamma ext=VK_KHR_maintenance1,VK_KHR_driver_properties,VK_KHR_maintenance2", "device name=old api=1.0.0 uuid=9 driver_uuid=7 driver_version=4").API("1.3.0").MoveManifest("work")
	return w
}

// holds: SET-11 SET-90 SET-91 SET-92 SET-93 SET-94 SET-95 SET-96 SET-97 SET-99 SET-100 SET-101 SET-102 SET-111 ENV-107
func TestDeviceConfigurations(t *testing.T) {
	t.Parallel()
	w := devices(t)
	add := `"additional_drivers":[{"path":"` + w.Path("work/two.json") + `"}],`
	s := start(t, w)
	show := func(api string, words ...string) (string, int, log) {
		s.lines()
		s.h.OK("create_instance", "api", api)
		s.lines()
		a := s.h.Do("physical_devices", words...)
		var names []string
		for _, d := range a.Ints("devices") {
			names = append(names, s.h.Do("properties", "pd", world.Ref(d)).Text("name"))
		}
		log := s.lines()
		s.h.Do("destroy_instance")
		return strings.Join(names, " "), a.Result(), log
	}
	for _, c := range []struct {
		list   string
		want   string
		result int
	}{
		{configured(1, 7, 3, "") + "," + configured(2, 7, 3, ""), "a b", success},
		{configured(2, 7, 3, "") + "," + configured(1, 7, 3, `,"deviceName":"not a"`), "b a", success},
		{configured(2, 7, 4, "") + "," + configured(2, 7, 3, ""), "c b", success},
		{configured(1, 7, 3, "") + "," + configured(1, 7, 3, ""), "a a", success},
		{configured(5, 7, 3, "") + "," + configured(1, 7, 3, ""), "a", success},
		{configured(9, 7, 4, ""), "", -3}, {configured(3, 7, 3, ""), "", -3}, {"", "", -3},
		{`{"deviceUUID":[7]},{"deviceUUID":` + uuid(256) + `,"driverUUID":` + uuid(7) + `,"driverVersion":3},` + configured(1, 7, 3, ""), "a", success},
		{strings.ReplaceAll(configured(1, 7, 3, ""), "1,", "1.75,"), "a", success},
	} {
		settingsObject(w, "{"+add+configurations(c.list)[1:])
		for _, api := range []string{"1.0.0", "1.1.0"} {
			got, result, log := show(api)
			same(t, c.list, got, c.want)
			if result != c.result {
				t.Errorf("%s: %d", c.list, result)
			}
			if c.result == success {
				log.has(t, "INFO", "Selecting and ordering VkPhysicalDevices to match the loader settings device configurations list")
			} else if c.list != "" {
				log.has(t, "WARNING", "loader_apply_settings_device_configurations: None of the settings file device configurations had deviceUUID's that corresponded to enumerated VkPhysicalDevices. Returning VK_ERROR_INITIALIZATION_FAILED")
			}
		}
	}
	if n := s.create().active; n != "" {
		t.Error(n)
	}
	settingsObject(w, "{"+add+configurations(configured(2, 7, 4, ""))[1:])
	_, _, log := show("1.1.0")
	// an older device returns its driver's name through an extension
	log.has(t, "DEBUG", `pPhysicalDevices array index 0 is set to "c" (Gamma, version 4) `)
	settingsObject(w, "{"+add+configurations(configured(1, 7, 3, ""), configured(2, 7, 3, ""), configured(5, 7, -6, `,"deviceName":"gone"`), configured(6, 7, 1, `,"deviceName":"gone","driverName":"d"`), configured(6, 7, 2, `,"driverName":"d"`))[1:])
	_, _, log = show("1.1.0")
	absent := "loader_apply_settings_device_configurations: settings file contained device_configuration which does not appear in the enumerated VkPhysicalDevices. Missing VkPhysicalDevice with "
	log.has(t, "DEBUG", `pPhysicalDevices array index 0 is set to "a" (Acme, version 3) `)
	log.has(t, "DEBUG", `pPhysicalDevices array index 1 is set to "b" (driver version 3) `)
	log.has(t, "INFO", `VkPhysicalDevice "c" did not appear in the settings file device configurations list, so was not added to the pPhysicalDevices array`)
	log.has(t, "WARNING", absent+`deviceName: "gone", deviceUUID: `+uuidText(5)+`, driverUUID: `+uuidText(7)+`, driverVersion: -6`)
	log.has(t, "WARNING", absent+`deviceName: "gone", deviceUUID: `+uuidText(6)+`, driverName: d, driverUUID: `+uuidText(7)+`, driverVersion: 1`)
	log.has(t, "WARNING", absent+`deviceUUID: `+uuidText(6)+`, driverUUID: `+uuidText(7)+`, driverVersion: 2`)
	// Counts: the smaller number of entries and devices. A list may be too short. The instance keeps its
	// configurations.
	s.h.OK("create_instance")
	for _, c := range []struct {
		count string
		n     int64
		code  int
	}{{"only", 4, success}, {"1", 1, 5}, {"2", 2, success}, {"9", 2, success}} {
		if a := s.h.Do("physical_devices", "count", c.count); a.Int("count") != c.n || a.Result() != c.code {
			t.Errorf("count %s: %v", c.count, a)
		}
	}
	settings(w, "{}")
	if a := s.h.Do("physical_devices", "count", "9"); a.Int("count") != 2 {
		t.Error(a)
	}
	s.h.Do("destroy_instance")
	settingsObject(w, configurations())
	s.h.OK("create_instance")
	if a := s.h.Do("physical_devices", "count", "only"); a.Int("count") != 0 || a.Result() != success {
		t.Error(a)
	}
	s.h.Do("destroy_instance")
	settingsObject(w, configurations(configured(1, 7, 3, ""), configured(2, 7, 3, "")))
	s.with(vars{"VK_LOADER_DEVICE_ID_FILTER": "0xfffff"}, func() {
		s.h.OK("create_instance")
		if a := s.h.Do("physical_devices", "count", "9"); a.Int("count") != 0 || a.Result() != success {
			t.Error(a)
		}
		s.h.Do("destroy_instance")
		settingsObject(w, configurations(configured(8, 7, 3, "")))
		s.h.OK("create_instance")
		if a := s.h.Do("physical_devices", "count", "only"); a.Result() != -3 {
			t.Error(a)
		}
		s.h.Do("destroy_instance")
	})
	settingsObject(w, "{"+add+`"additional_drivers_use_exclusively":true,`+configurations(configured(1, 7, 3, ""))[1:])
	if _, r, _ := show("1.1.0"); r != -3 {
		t.Error(r)
	}
	settingsObject(w, `{"device_configurations":[5]}`)
	if got, _, _ := show("1.1.0"); got != "a b" {
		t.Error(got)
	}
	s.end()
}

// holds: SET-103 SET-104 SET-105 SET-106 SET-107
func TestGroupsUnderConfigurations(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
	f := w.Driver("one", "api 1.3.0", "group a b", "group c").API("1.3.0")
	for n, name := range []string{"a", "b", "c"} {
		f.Script(fmt.Sprintf("device name=%s api=1.1.0 uuid=%d driver_uuid=7 driver_version=3", name, n+1))
	}
	f.MoveManifest("system" + driverDirectory)
	s := start(t, w)
	groups := func(words ...string) (int, int, log) {
		s.h.OK("create_instance", "api", "1.1.0")
		s.lines()
		a := s.h.Do("device_groups", words...)
		log := s.lines()
		s.h.Do("destroy_instance")
		return int(a.Int("count")), a.Result(), log
	}
	dropped := func(n int) string {
		return fmt.Sprintf("terminator_EnumeratePhysicalDeviceGroups: Physical device group %d contains a VkPhysicalDevice which the settings file device configurations exclude, so the group was not reported.", n)
	}
	for _, c := range []struct {
		visible []int
		count   int
		result  int
		dropped []int
	}{
		{[]int{3, 2, 1}, 2, success, nil}, {[]int{1, 2}, 1, success, []int{1}}, {[]int{1, 3}, 1, success, []int{0}}, {[]int{2}, 0, success, []int{0, 1}}, {[]int{9}, -1, -3, nil}, {nil, -1, -3, nil},
	} {
		var list []string
		for _, n := range c.visible {
			list = append(list, configured(n, 7, 3, ""))
		}
		settingsObject(w, configurations(list...))
		if n, r, _ := groups("count", "only"); n != 2 || r != success {
			t.Errorf("%v: count %d, %d", c.visible, n, r)
		}
		n, r, log := groups("count", "8")
		if r != c.result || c.count >= 0 && n != c.count {
			t.Errorf("%v: %d groups, %d", c.visible, n, r)
		}
		for g := range 2 {
			if slices.Contains(c.dropped, g) {
				log.has(t, "INFO", dropped(g))
			} else {
				log.lacks(t, dropped(g))
			}
		}
	}
	settings(w, "{}")
	if n, r, _ := groups("count", "8"); n != 2 || r != success {
		t.Error(n, r)
	}
	s.end()
}

// Configurations without an exact match select similar devices: by both UUIDs, by the device's UUID, or by the name.
//
// holds: SET-94 SET-95 SET-97 SET-102 SET-103 SET-106
func TestConfigurationsOfOtherVersions(t *testing.T) {
	t.Parallel()
	w := loud(t)
	w.Env["VK_LOADER_DISABLE_SELECT"] = "1"
	device := func(name, api string, uuid, driver, version int) string {
		return fmt.Sprintf("device name=%s api=%s uuid=%d driver_uuid=%d driver_version=%d", name, api, uuid, driver, version)
	}
	w.Driver("one", "api 1.3.0", device("a", "1.2.0", 1, 7, 3), device("b", "1.1.0", 2, 7, 3), device("twin", "1.1.0", 3, 7, 3), device("twin", "1.1.0", 4, 7, 3)+" id=twin2", device("old", "1.0.0", 9, 7, 3)).
		API("1.3.0").MoveManifest("system" + driverDirectory)
	w.Driver("two", "api 1.3.0", device("b2", "1.1.0", 2, 8, 4), device("b3", "1.1.0", 2, 8, 5)).API("1.3.0").MoveManifest("system" + driverDirectory)
	s := start(t, w)
	named := func(name string) string { return `,"deviceName":"` + name + `"` }
	const used = "which matches no VkPhysicalDevice exactly"
	for _, c := range []struct {
		list, want, differs string
	}{
		{configured(1, 7, 2, ""), "a", " driverVersion"},
		{configured(1, 7, 2, named("old name")), "a", " driverVersion"},
		{configured(1, 6, 2, ""), "a", " driverUUID driverVersion"},
		{configured(1, 6, 3, ""), "a", " driverUUID"},
		{configured(6, 6, 2, named("a")), "a", " deviceUUID driverUUID driverVersion"},
		{configured(6, 7, 3, named("a")), "a", " deviceUUID"},
		// two devices have the name
		{configured(6, 6, 2, named("twin")), "", ""},
		// one of the two is already chosen
		{configured(3, 7, 3, "") + "," + configured(6, 6, 2, named("twin")), "twin twin", " deviceUUID driverUUID driverVersion"},
		// three devices have the UUID
		{configured(2, 6, 2, ""), "", ""},
		{configured(2, 7, 3, "") + "," + configured(2, 8, 4, "") + "," + configured(2, 6, 2, ""), "b b2 b3", " driverUUID driverVersion"},
		{configured(2, 8, 1, "") + "," + configured(2, 8, 2, ""), "b2 b3", " driverVersion"},
		{configured(2, 8, 1, "") + "," + configured(2, 8, 4, ""), "b3 b2", " driverVersion"}, // exact matches go first
		{configured(1, 7, 1, "") + "," + configured(1, 7, 2, ""), "a", " driverVersion"},
		{configured(6, 6, 1, named("a")) + "," + configured(1, 7, 2, ""), "a", " driverVersion"},
		{configured(1, 7, 3, "") + "," + configured(1, 7, 2, named("a")), "a", ""},
		{configured(1, 7, 3, "") + "," + configured(1, 7, 3, ""), "a a", ""},
		{configured(9, 7, 2, ""), "", ""}, {configured(6, 7, 2, named("old")), "", ""}, // below 1.1
		{configured(6, 7, 3, ""), "", ""}, {configured(6, 7, 3, named("A")), "", ""}, {configured(6, 7, 3, `,"driverName":"a"`), "", ""},
	} {
		settingsObject(w, configurations(c.list))
		s.h.OK("create_instance", "api", "1.1.0")
		s.lines()
		a := s.h.Do("physical_devices", "count", "9")
		var names []string
		for _, d := range a.Ints("devices") {
			names = append(names, s.h.Do("properties", "pd", world.Ref(d)).Text("name"))
		}
		same(t, c.list, strings.Join(names, " "), c.want)
		if (a.Result() == success) != (c.want != "") || c.want == "" && a.Result() != -3 {
			t.Errorf("%s: %d", c.list, a.Result())
		}
		lines := strings.Join(s.lines(), "\n")
		if c.differs == "" && strings.Contains(lines, used) || c.differs != "" && !strings.Contains(lines, ", whose"+c.differs+" differs") {
			t.Errorf("%s: not the line of%s: %s", c.list, c.differs, lines)
		}
		if g := s.h.Do("device_groups", "count", "9"); g.Result() != a.Result() || c.want != "" && len(g.Objects("groups")) != len(slices.Compact(slices.Sorted(slices.Values(a.Ints("devices"))))) {
			t.Errorf("%s: groups %v", c.list, g)
		}
		s.h.Do("destroy_instance")
	}
	s.end()
}
