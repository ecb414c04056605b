package elevated

import (
	"strings"
	"testing"
)

// ids are the ids of a process that has changed them itself, after a start without more rights than its user's.
var ids = []struct {
	name   string
	set    []string
	secure bool
}{
	{"as started", nil, false},
	{"one other user", []string{"ruid", "65534", "euid", "65534", "suid", "65534"}, false},
	{"effective user", []string{"euid", "65534"}, true},
	{"real user", []string{"ruid", "65534"}, true},
	{"saved user", []string{"suid", "65534"}, true},
	{"effective group", []string{"egid", "65534"}, true},
	{"real group", []string{"rgid", "65534"}, true},
	{"saved group", []string{"sgid", "65534"}, true},
	{"saved user of root", []string{"ruid", "65534", "euid", "65534"}, true},
}

// A process whose user or group ids differ at the time of the call ignores every variable, home and settings file that an elevated
// process ignores. It uses them again when its ids are equal.
//
// holds: GEN-5 SET-5
func TestDifferingIDs(t *testing.T) {
	t.Parallel()
	for _, c := range ids {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newWorld(t)
			furnish(w)
			plain := map[string]string{}
			h := w.StartIdle()
			h.Do("open", "path", w.Loader)
			for _, s := range settings(w) {
				if !s.ignored || s.with != nil {
					continue
				}
				h.Do("unsetenv", "name", s.name)
				plain[s.name+"="+s.value] = look(h)
			}
			if c.set != nil {
				h.Do("set_ids", c.set...)
			}
			for _, s := range settings(w) {
				if !s.ignored || s.with != nil {
					continue
				}
				h.Do("setenv", "name", s.name, "value", s.value)
				got := look(h)
				h.Do("unsetenv", "name", s.name)
				before := plain[s.name+"="+s.value]
				if changes := got != before; c.secure && changes {
					t.Errorf("%s=%s is honoured:\n%s\nwithout it\n%s", s.name, s.value, got, before)
				} else if !c.secure && !changes && !strings.HasPrefix(s.name, "VK_LOADER_") && strings.Contains(s.value, "/named") {
					t.Errorf("%s=%s changes nothing:\n%s", s.name, s.value, got)
				}
			}
			if strings.HasPrefix(c.name, "effective") { // back
				h.Do("set_ids", "euid", "0", "egid", "0")
				h.Do("setenv", "name", "VK_DRIVER_FILES", "value", w.Path("named/named.json"))
				if look(h) == plain["VK_DRIVER_FILES="+w.Path("named/named.json")] {
					t.Error("VK_DRIVER_FILES is ignored after the ids are equal again")
				}
			}
			h.Quit()
		})
	}
}
