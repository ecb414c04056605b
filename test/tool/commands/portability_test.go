package commands

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	"vkloader/test/lib/world"
)

// doctor names a portability driver that crashes. The suggested command ends the crash with every way to choose drivers, with this loader and
// with the distribution's.
func TestDoctorLeavesOutPortabilityDriver(t *testing.T) {
	t.Parallel()
	for _, choice := range []string{"", "bad*", "*", "bad*,null*", "*.json,null*"} {
		for _, usual := range []bool{false, true} {
			t.Run(choice+map[bool]string{true: " usual"}[usual], func(t *testing.T) {
				t.Parallel()
				w, _ := computing(t)
				w.System = usual
				w.Driver("bad", "device name=bad", "die vkCreateDevice").Set("is_portability_driver", true)
				w.Env["VK_DRIVER_FILES"] = w.Path("drivers/bad.json") + ":" + filepath.Join(built, "drivers/null_icd.json")
				if choice != "" {
					w.Env["VK_LOADER_DRIVERS_SELECT"] = choice
				}
				before := submits(w)
				if choice == "bad*" { // an ordinary program gets no driver, which is the first finding
					d := diagnosed(t, w, 1, "--timeout", "2m")
					if d.finding("variable-all-out") == "" || d.finding("variable-match") != "" {
						t.Errorf("%+v", d.Findings)
					}
					return
				}
				d := diagnosed(t, w, 1, "--timeout", "2m")
				if before.Signal == 0 || !strings.HasPrefix(d.finding("driver-crashes"), "problem bad.json: ") || d.finding("variable-match") != "" {
					t.Fatalf("%+v\n%+v", before, d)
				}
				for _, f := range d.Findings {
					if f.Code == "driver-crashes" {
						obey(t, w, f.Do)
					}
				}
				if after := submits(w); after.Code != 0 || after.Signal != 0 {
					t.Errorf("%v: %+v", w.Env, after)
				}
				if d := diagnosed(t, w, 0, "--timeout", "2m"); !d.Works || d.finding("variable-match") != "" {
					t.Errorf("after it: %+v", d)
				}
			})
		}
	}
}

// submits runs the program that submits work to every device.
func submits(w *world.World) world.Exit {
	_, exit := w.Run(time.Minute, submitting[0], submitting[1:]...)
	return exit
}

// obey makes the environment changes of a command line.
func obey(t *testing.T, w *world.World, line string) {
	t.Helper()
	for _, part := range strings.Split(line, " && ") {
		word, rest, _ := strings.Cut(part, " ")
		name, value, set := strings.Cut(rest, "=")
		switch {
		case word == "export" && set:
			w.Env[name] = strings.Trim(value, "'")
		case word == "unset" && !set:
			delete(w.Env, name)
		default:
			t.Fatalf("%q changes no variable", line)
		}
	}
}

// A program enumerates portability drivers, and one of them crashes it: --find-culprit names that driver.
func TestFindCulpritNamesPortabilityDriver(t *testing.T) {
	t.Parallel()
	w, _ := computing(t)
	w.Driver("bad", "device name=bad", "die vkCreateDevice").Set("is_portability_driver", true)
	w.Env["VK_DRIVER_FILES"] = w.Path("drivers/bad.json") + ":" + filepath.Join(built, "drivers/null_icd.json")
	for _, choice := range []string{"", "*"} {
		w.Env["VK_LOADER_DRIVERS_SELECT"] = choice
		v := hunted(t, w, 1, submitting)
		if len(v.Culprits) != 1 || !strings.Contains(v.Fix, "VK_LOADER_DRIVERS_DISABLE=bad.json") {
			t.Errorf("%q: %+v", choice, v)
		}
	}
}
