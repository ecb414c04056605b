package commands

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// hosting creates a machine whose card belongs to the group render. processes has the machine's processes by number: control group, user,
// groups and command line.
func hosting(t *testing.T, mode string, processes map[int][4]string, more map[string]string) (root string) {
	t.Helper()
	root = t.TempDir()
	if _, err := build("testdata/machines/no-permission.txtar", root); err != nil {
		t.Fatal(err)
	}
	group := os.Getgid()
	node := filepath.Join(root, "dev/dri/renderD128")
	if os.Getuid() == 0 {
		group = 991
		if err := os.Chown(node, 0, group); err != nil {
			t.Fatal(err)
		}
	}
	bits := os.FileMode(0o660)
	if mode == "open" {
		bits = 0o666
	}
	if err := os.Chmod(node, bits); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{
		"etc/passwd": "root:x:0:0:root:/root:/bin/bash\nmia:x:61000:61000::/home/mia:/bin/bash\nollama:x:60998:60998::/usr/share/ollama:/bin/false\n" +
			"kiosk:x:61001:61001::/home/kiosk:/bin/bash\nresolve:x:60101:60101::/:/usr/sbin/nologin\n",
		"etc/group": fmt.Sprintf("root:x:0:\nrender:x:%d:mia\nollama:x:60998:\n", group)}
	for pid, p := range processes {
		place := fmt.Sprintf("proc/%d/", pid)
		files[place+"cgroup"] = p[0] + "\n"
		files[place+"status"] = fmt.Sprintf("Name:\t%.15s\nUid:\t%[2]s\t%[2]s\t%[2]s\t%[2]s\nGid:\t%[2]s\t%[2]s\t%[2]s\t%[2]s\nGroups:\t%[3]s \n",
			filepath.Base(strings.Fields(p[3])[0]), p[1], strings.ReplaceAll(p[2], "render", fmt.Sprint(group)))
		files[place+"cmdline"] = strings.ReplaceAll(p[3], " ", "\x00") + "\x00"
	}
	for name, text := range more {
		files[name] = text
	}
	for name, text := range files {
		if err := put(filepath.Join(root, name), []byte(strings.ReplaceAll(text, "GROUP", fmt.Sprint(group)))); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// The first screen names a running service whose user can open no graphics device, with the fix: the group, and a restart of the service.
// It does not name services that use no device, or that can open it.
func TestServiceWithoutPermission(t *testing.T) {
	t.Parallel()
	const ollama = "0::/system.slice/ollama.service"
	serve := [4]string{ollama, "60998", "60998", "/usr/local/bin/ollama serve"}
	join := "usermod -aG render ollama"
	needs := ofWords("needed=libvulkan.so.1")
	for _, c := range []struct {
		name, mode string
		processes  map[int][4]string
		more       map[string]string
		says       []string // nil: no finding
	}{
		{"ollama", "", map[int][4]string{700: serve}, nil, []string{"ollama.service", "ollama lacks read or write permission on /dev/dri/renderD128", join,
			"systemctl restart ollama"}},
		{"older control groups", "", map[int][4]string{700: {"12:devices:/system.slice/ollama.service\n1:name=systemd:/system.slice/ollama.service", "60998", "60998",
			"ollama serve"}}, nil, []string{join}},
		{"group of a control group", "", map[int][4]string{700: {ollama + "/runner", "60998", "60998", "/opt/x"}}, nil, []string{join}},
		{"instance of a template in a slice", "", map[int][4]string{9: {"0::/system.slice/system-kiosk.slice/kiosk@tty1.service", "61001", "61001", "/usr/bin/cage -- browser"}}, nil,
			[]string{"kiosk@tty1.service", "usermod -aG render kiosk", "systemctl restart kiosk@tty1"}},
		{"its program needs the loader", "", map[int][4]string{9: {"0::/system.slice/render-farm.service", "60998", "60998", "/opt/farm -x"}},
			map[string]string{"opt/farm": string(needs)}, []string{"render-farm.service", "systemctl restart render-farm"}},
		{"its unit names the device", "", map[int][4]string{9: {"0::/system.slice/farm.service", "60998", "60998", "/opt/farm"}},
			map[string]string{"etc/systemd/system/farm.service.d/gpu.conf": "[Service]\nDeviceAllow=/dev/dri/renderD128 rw\n"}, []string{"farm.service"}},
		{"a user without a record", "", map[int][4]string{9: {ollama, "61184", "61184", "ollama serve"}}, nil,
			[]string{"ollama.service.d", "SupplementaryGroups=render", "systemctl restart ollama"}},
		{"the group came after the start", "", map[int][4]string{700: serve}, map[string]string{"etc/group": "render:x:GROUP:mia,ollama\n"},
			[]string{"do Run as root: systemctl restart ollama"}},

		{"member", "", map[int][4]string{700: {ollama, "60998", "60998 render", "ollama serve"}}, nil, nil},
		{"open to everybody", "open", map[int][4]string{700: serve}, nil, nil},
		{"root", "", map[int][4]string{700: {ollama, "0", "0", "ollama serve"}}, nil, nil},
		{"another service", "", map[int][4]string{700: {"0::/system.slice/systemd-resolved.service", "60101", "60101", "/usr/lib/systemd/systemd-resolved"}}, nil, nil},
		{"a session", "", map[int][4]string{700: {"0::/user.slice/user-61001.slice/user@61001.service/app.slice/ollama.service", "61001", "61001", "ollama serve"}}, nil, nil},
		{"a container", "", map[int][4]string{700: {"0::/system.slice/docker-0123.scope", "60998", "60998", "ollama serve"}}, nil, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			root := hosting(t, c.mode, c.processes, c.more)
			for _, command := range [][]string{nil, {"doctor"}} {
				out, code := execute(t, append([]string{"--root", root}, command...)...)
				squeezed := strings.Join(strings.Fields(out), " ")
				for _, want := range c.says {
					if !strings.Contains(squeezed, want) {
						t.Errorf("%q: no %q in\n%s", command, want, out)
					}
				}
				if c.says == nil && (strings.Contains(out, ".service") || !strings.Contains(out, "no problems found")) {
					t.Errorf("%q: %s", command, out)
				}
				if code != 0 || strings.Contains(out, "log in again") {
					t.Errorf("%q: exit code %d\n%s", command, code, out)
				}
			}
		})
	}
}

// doctor --user suggests a restart of the user's service, and no new login.
func TestUserOfService(t *testing.T) {
	t.Parallel()
	serve := [4]string{"0::/system.slice/ollama.service", "60998", "60998", "/usr/local/bin/ollama serve"}
	for _, c := range []struct {
		name, user string
		processes  map[int][4]string
		says       string
		code       int
	}{
		{"it runs", "ollama", map[int][4]string{700: serve}, "usermod -aG render ollama && systemctl restart ollama", 1},
		{"by number", "60998", map[int][4]string{700: serve}, "usermod -aG render ollama && systemctl restart ollama", 1},
		{"no unit is known", "ollama", nil, "Run as root, then start the service again: usermod -aG render ollama", 1},
		{"the service has the group", "ollama", map[int][4]string{700: {serve[0], "60998", "render", serve[3]}}, "no problems found", 0},
		{"a person", "kiosk", map[int][4]string{700: serve}, "Run as root, then log in again: usermod -aG render kiosk", 1},
		{"a person in the group", "mia", map[int][4]string{700: serve}, "no problems found", 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			out, code := execute(t, "--root", hosting(t, "", c.processes, nil), "doctor", "--user", c.user)
			if squeezed := strings.Join(strings.Fields(out), " "); code != c.code || !strings.Contains(squeezed, c.says) || strings.Contains(out, "log in") != (c.user == "kiosk") {
				t.Errorf("exit code %d\n%s", code, out)
			}
		})
	}
}

// A service whose unit hides or closes the devices is named, with the unit's line. The printed drop-in is a fix. A service whose unit opens
// the devices again, or that uses no device, is not named.
func TestServiceThatHidesDevices(t *testing.T) {
	t.Parallel()
	ollama := [4]string{"0::/system.slice/ollama.service", "60998", "60998", "/usr/local/bin/ollama serve"}
	asRoot := [4]string{ollama[0], "0", "0", ollama[3]}
	other := [4]string{"0::/system.slice/other.service", "60998", "60998", "/usr/bin/other"}
	const unit, more = "etc/systemd/system/ollama.service", "etc/systemd/system/ollama.service.d/10-more.conf"
	for _, c := range []struct {
		name    string
		process [4]string
		files   map[string]string
		what    string // "": nothing is wrong
		line    string
	}{
		{"hidden", ollama, map[string]string{unit: "[Service]\nPrivateDevices=yes\n"}, "PrivateDevices= hides /dev/dri/renderD128", "PrivateDevices=no"},
		{"hidden from root", asRoot, map[string]string{unit: "[Service]\nPrivateDevices=true\n"}, "PrivateDevices= hides /dev/dri/renderD128", "PrivateDevices=no"},
		{"hidden by a drop-in", ollama, map[string]string{unit: "[Service]\nPrivateDevices=no\n", more: "[Service]\nPrivateDevices=1\n"}, "PrivateDevices= hides", "PrivateDevices=no"},
		{"closed", ollama, map[string]string{unit: "[Service]\nDevicePolicy=closed\n"}, "DevicePolicy=closed closes /dev/dri/renderD128", "DeviceAllow=char-drm rw"},
		{"others are allowed", ollama, map[string]string{unit: "[Service]\nDeviceAllow=/dev/fuse rw\n"}, "DeviceAllow= closes /dev/dri/renderD128", "DeviceAllow=char-drm rw"},

		{"opened by a drop-in", ollama, map[string]string{unit: "[Service]\nPrivateDevices=yes\n", more: "[Service]\nPrivateDevices=no\n"}, "", ""},
		{"another file of its name wins", ollama, map[string]string{"usr/lib/systemd/system/ollama.service": "[Service]\nPrivateDevices=yes\n", unit: "[Service]\nNice=5\n"}, "", ""},
		{"allowed by its path", ollama, map[string]string{unit: "[Service]\nDevicePolicy=strict\nDeviceAllow=/dev/dri/renderD128 rw\n"}, "", ""},
		{"allowed by its class", ollama, map[string]string{unit: "[Service]\nDevicePolicy=closed\nDeviceAllow=char-drm\n"}, "", ""},
		{"no device is used", other, map[string]string{"etc/systemd/system/other.service": "[Service]\nPrivateDevices=yes\n"}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			p := &patient{root: hosting(t, "open", map[int][4]string{700: c.process}, c.files)}
			found, err := p.report()
			if err != nil {
				t.Fatal(err)
			}
			if c.what == "" && len(found) > 0 || c.what != "" && len(found) != 1 {
				t.Fatalf("%+v", found)
			}
			if c.what == "" {
				return
			}
			if f := &found[0]; f.Code != "service-devices" || !strings.Contains(f.What, c.what) || !strings.Contains(f.Do, c.line) {
				t.Errorf("%+v", f)
			}
			if how, err := p.follow(&found[0]); how != done || err != nil {
				t.Fatal(how, err, found[0].Do)
			}
			if found, err := p.report(); err != nil || len(found) > 0 {
				t.Errorf("%+v, %v", found, err)
			}
		})
	}
}
