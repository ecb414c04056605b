package windows

import (
	"slices"
	"strings"
	"testing"
)

// result returns the result of testing a driver or layer alone; "" if it was not tested.
func (e *examined) result(name string) string {
	for _, p := range e.Probes {
		if p.Name == name {
			return p.Result
		}
	}
	return ""
}

// holds: WIN-057
//
// TestDoctorRights checks that doctor accuses only the faulty layer or driver, also if the tool runs as administrator
// and no variable excludes drivers.
func TestDoctorRights(t *testing.T) {
	const wine = "winevulkan.json"
	for _, size := range sizes {
		for _, as := range both {
			crash := windowsPath(t, size, `test\crash.dll`)
			doctor := func(t *testing.T, code int, args ...string) *examined {
				e := askedAs[examined](t, as, size, code, append([]string{"doctor"}, args...)...)
				return &e
			}
			t.Run(size+", "+string(as), func(t *testing.T) {
				t.Run("a layer", func(t *testing.T) {
					implicitLayer(t, size, "bad", crash)
					e := doctor(t, 1)
					if !strings.HasPrefix(e.Verdict, "Broken: VK_LAYER_bad crashes; ") || e.result(wine) != "ok" || strings.Contains(e.Verdict, wine) {
						t.Errorf("%+v", e)
					}
					if at := e.find("layer-crashes"); at < 0 || !slices.Contains(e.Findings[at].Commands, `set "DISABLE_bad=1"`) {
						t.Errorf("%+v", e)
					}
					if out, _ := toolAs(t, as, size, anyCode); strings.Contains(out, wine+" crashes") {
						t.Error(out)
					}
				})
				t.Run("a driver", func(t *testing.T) {
					registered(t, size, "Drivers", "crashes.json", driverManifest(crash))
					e := doctor(t, 1)
					want := map[rights]string{elevated: "not tried", unelevated: "ok"}[as]
					if !strings.HasPrefix(e.Verdict, "Broken: crashes.json crashes; ") || strings.Contains(e.Verdict, wine) || e.result(wine) != want {
						t.Errorf("%+v", e)
					}
				})
				t.Run("a driver without its library", func(t *testing.T) {
					registered(t, size, "Drivers", "gone.json", driverManifest(`C:\gone\driver.dll`))
					e := doctor(t, 1)
					if e.result("gone.json") != "fails" || e.find("library-missing") < 0 || e.result("drivers and layers together") != "ok" {
						t.Errorf("%+v", e)
					}
				})
				e := doctor(t, 0)
				if !isWorking(e) || e.result(wine) != "ok" {
					t.Errorf("%+v", e)
				}
				e = doctor(t, 0, "--elevated=false")
				if as == elevated && (len(e.Probes) > 0 || e.find("trial-rights") < 0) || as == unelevated && e.result(wine) != "ok" {
					t.Errorf("--elevated=false: %+v", e)
				}
			})
		}
	}
}
