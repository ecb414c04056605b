package debug

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"vkloader/test/lib/world"
)

// receivers creates an instance with a driver that supports both extensions, and the messenger m and the report
// callback r, which want all messages.
func receivers(t *testing.T) (*world.World, *world.Host) {
	w := world.New(t)
	driver(w, "one")
	h := w.Start()
	instance(h)
	h.OK("create_messenger", "severity", "0x1111", "types", "15")
	h.OK("create_report", "flags", "0x1f")
	return w, h
}

// holds: DBG-040 DBG-041
func TestSubmittedMessage(t *testing.T) {
	t.Parallel()
	w, h := receivers(t)
	h.OK("create_messenger", "as", "errors", "severity", "0x1000", "types", "1")
	h.OK("create_messenger", "as", "performance", "types", "4")
	h.OK("create_report", "as", "errors_r", "flags", "8")
	a := h.Do("submit_message", "severity", "0x1000", "types", "1", "id", "an id", "number", "-77", "text", "a text", "object", "0xabcd", "object_type", "9")
	m, r := find(to(a, "m"), "a text"), find(to(a, "r"), "a text")
	if m == nil || m.Int("severity") != failure || m.Int("types") != general || m.Text("id") != "an id" || m.Int("number") != -77 || m.Int("objects") != 1 || m.Int("object_type") != 9 {
		t.Errorf("the messenger received %v", m)
	}
	if r == nil || r.Int("severity") != reportError || r.Int("object_type") != 9 || r.Int("object") != m.Int("object") || r.Int("number") != -77 || r.Text("id") != "an id" {
		t.Errorf("the report callback received %v", r)
	}
	for name, want := range map[string]int{"m": 1, "r": 1, "errors": 1, "errors_r": 1, "performance": 0} {
		if n := len(to(a, name)); n != want {
			t.Errorf("%s received %d messages, want %d", name, n, want)
		}
	}
	a = h.Do("submit_message", "severity", "0x10", "types", "1", "text", "no object", "object_type", "9")
	if m, r := find(to(a, "m"), "no object"), find(to(a, "r"), "no object"); m.Int("objects") != 0 || r.Int("object_type") != 0 || r.Int("object") != 0 || r.Int("severity") != reportInfo {
		t.Errorf("received %v and %v", m, r)
	}
	if n := len(to(a, "errors")) + len(to(a, "errors_r")); n != 0 {
		t.Errorf("%d messages for those who want errors", n)
	}
	h.Quit()
	if calls := w.Log().Fn("vkSubmitDebugUtilsMessageEXT"); len(calls) != 0 {
		t.Errorf("the driver saw %s", calls)
	}
}

// holds: DBG-017 DBG-041
func TestSeveritiesAsReportFlags(t *testing.T) {
	t.Parallel()
	_, h := receivers(t)
	for _, c := range []struct{ severity, types, flag int }{
		{failure, general, reportError}, {failure, performance, reportError}, {warning, general, reportWarning}, {warning, validation, reportWarning},
		{warning, performance, reportPerformance}, {warning, general | performance, reportPerformance}, {info, general, reportInfo}, {info, performance, reportInfo},
		{verbose, general, reportDebug}, {verbose, performance, reportDebug},
	} {
		a := h.Do("submit_message", "severity", strconv.Itoa(c.severity), "types", strconv.Itoa(c.types), "text", "x")
		if got := to(a, "r"); len(got) != 1 || got[0].Int("severity") != int64(c.flag) {
			t.Errorf("%x %x: received %v, want flag %d", c.severity, c.types, got, c.flag)
		}
	}
	if got := to(h.Do("submit_message", "severity", "0", "types", "1", "text", "x"), "r"); len(got) != 0 {
		t.Errorf("a message of no severity: received %v", got)
	}
	h.Quit()
}

// holds: DBG-042
func TestSubmitNothing(t *testing.T) {
	t.Parallel()
	_, h := receivers(t)
	a := h.Do("call", "name", "vkSubmitDebugUtilsMessageEXT", "instance", "i", "arg", "i", "arg", "0x1000", "arg", "1", "arg", "null")
	if len(a.Received()) != 0 {
		t.Errorf("received %v", a.Received())
	}
	h.Quit()
}

// report calls vkDebugReportMessageEXT.
func report(h *world.Host, flags, objectType int) world.Answer {
	return h.Do("call", "name", "vkDebugReportMessageEXT", "instance", "i", "arg", "i", "arg", strconv.Itoa(flags), "arg", strconv.Itoa(objectType),
		"arg", "0x1234", "arg", "55", "arg", "-66", "arg", "text:a prefix", "arg", "text:a text")
}

// A driver is held only while the message is sent to it. A driver without devices can then be removed.
//
// holds: DBG-043 PHY-049
func TestReportedMessageLetsDriversGo(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "full")
	w.Driver("empty", "ext VK_EXT_debug_utils 2", "ext VK_EXT_debug_report 10")
	h := w.Start()
	instance(h)
	report(h, reportError, 1)
	h.OK("physical_devices")
	if gone := w.Log().By("empty").Fn("vkDestroyInstance"); len(gone) != 1 {
		t.Errorf("the driver without devices saw %v", w.Log().By("empty").Names())
	}
	h.Quit()
}

// holds: DBG-043 DBG-045
func TestReportedMessage(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "first", "args vkDebugReportMessageEXT 6")
	w.Driver("lacks")
	driver(w, "last", "args vkDebugReportMessageEXT 6")
	h := w.Start()
	instance(h)
	h.OK("create_messenger", "types", "15")
	h.OK("create_report", "flags", "0x1f")
	h.OK("create_report", "as", "errors", "flags", "8")
	a := report(h, reportError, 26)
	m, r := find(to(a, "m"), "a text"), find(to(a, "r"), "a text")
	if r == nil || r.Int("severity") != reportError || r.Int("object_type") != 26 || r.Int("number") != -66 || r.Text("id") != "a prefix" {
		t.Errorf("the report callback received %v", r)
	}
	if m == nil || m.Int("severity") != failure || m.Text("id") != "a prefix" || m.Int("number") != -66 || m.Int("objects") != 1 || m.Int("object_type") != typeSurface || m.Int("object") != r.Int("object") {
		t.Errorf("the messenger received %v", m)
	}
	if n := len(to(a, "errors")); n != 1 {
		t.Errorf("%d messages", n)
	}
	if n := len(to(report(h, reportInfo, 1), "errors")); n != 0 {
		t.Errorf("%d messages", n)
	}
	h.Quit()
	log := w.Log().Fn("vkDebugReportMessageEXT")
	if got := log.Who(); !slices.Equal(got, []string{"last", "first", "last", "first"}) {
		t.Fatalf("called: %v", got)
	}
	if got := log[0].Strings("args"); !slices.Equal(got[:5], []string{"instance:1", "8", "26", "4660", "55"}) || !strings.Contains(got[5], "429496723") && got[5] != "-66" {
		t.Errorf("the driver saw %v", got)
	}
}

// holds: DBG-043 DBG-044
func TestReportFlagsAsSeverities(t *testing.T) {
	t.Parallel()
	_, h := receivers(t)
	for _, c := range []struct{ flags, severity, types int }{
		{reportInfo, info, general}, {reportWarning, warning, general}, {reportPerformance, warning, performance}, {reportError, failure, general},
		{reportDebug, verbose, general}, {reportInfo | reportError, info, general}, {reportInfo | reportPerformance, info, general | performance},
		{reportWarning | reportError, warning, general}, {reportWarning | reportPerformance, warning, performance}, {reportError | reportPerformance, warning, performance},
		{reportError | reportDebug, failure, general}, {reportDebug | reportPerformance, warning, performance},
	} {
		a := report(h, c.flags, 1)
		if got := to(a, "m"); len(got) != 1 || got[0].Int("severity") != int64(c.severity) || got[0].Int("types") != int64(c.types) {
			t.Errorf("flags %x: received %v, want %x %x", c.flags, got, c.severity, c.types)
		}
		if got := to(a, "r"); len(got) != 1 || got[0].Int("severity") != int64(c.flags) {
			t.Errorf("flags %x: received %v", c.flags, got)
		}
	}
	h.Quit()
}

// holds: DBG-046
func TestObjectTypes(t *testing.T) {
	t.Parallel()
	_, h := receivers(t)
	pairs := map[int]int{26: 1000000000, 27: 1000001000, 28: 1000011000, 29: 1000002000, 30: 1000002001, 33: 1000160000,
		1000156000: 1000156000, 1000085000: 1000085000, 1000029000: 1000029000, 1000029001: 1000029001, 1000150000: 1000150000,
		1000165000: 1000165000, 1000307000: 1000307000, 1000307001: 1000307001, 1000366000: 1000366000}
	for i := range 26 {
		pairs[i] = i
	}
	for report1, object := range pairs {
		if m := to(report(h, reportError, report1), "m"); len(m) != 1 || m[0].Int("object_type") != int64(object) {
			t.Errorf("report type %d came as %v, want %d", report1, m, object)
		}
		a := h.Do("submit_message", "severity", "0x1000", "object", "1", "object_type", strconv.Itoa(object), "text", "x")
		if r := to(a, "r"); len(r) != 1 || r[0].Int("object_type") != int64(report1) {
			t.Errorf("type %d came as %v, want %d", object, r, report1)
		}
	}
	for _, report1 := range []int{31, 32, 34, 1000000000, 0x7fffffff} {
		if m := to(report(h, reportError, report1), "m"); len(m) != 1 || m[0].Int("object_type") != 0 {
			t.Errorf("report type %d came as %v", report1, m)
		}
	}
	for _, object := range []int{26, 27, 33, 1000128000, 1000295000, 0x7fffffff} {
		a := h.Do("submit_message", "severity", "0x1000", "object", "1", "object_type", strconv.Itoa(object), "text", "x")
		if r := to(a, "r"); len(r) != 1 || r[0].Int("object_type") != 0 {
			t.Errorf("type %d came as %v", object, r)
		}
	}
	h.Quit()
}

// holds: DBG-018
func TestOrderOfLaterCallbacks(t *testing.T) {
	t.Parallel()
	w := world.New(t)
	driver(w, "one")
	h := w.Start()
	instance(h)
	h.OK("create_messenger", "as", "1")
	h.OK("create_report", "as", "2")
	h.OK("create_messenger", "as", "3")
	var order []string
	for _, m := range h.Do("submit_message", "text", "x").Received() {
		order = append(order, m.Text("to"))
	}
	if !slices.Equal(order, []string{"3", "2", "1"}) {
		t.Errorf("the order is %v", order)
	}
	h.Quit()
}
