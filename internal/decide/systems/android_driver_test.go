package systems

import (
	"slices"
	"strings"
	"testing"
)

func with(properties ...string) *Android {
	f := &Android{Properties: Properties{}, Package: "com.x", libraryPath: "/app/lib"}
	for _, p := range properties {
		name, value, _ := strings.Cut(p, "=")
		f.Properties[name] = value
	}
	return f
}

// opener returns an open function that answers by "NAMESPACE LIBRARY" and records its calls.
func opener(answers map[string]androidOpened, tried *[]string) func(namespace, library string) androidOpened {
	return func(namespace, library string) androidOpened {
		*tried = append(*tried, namespace+" "+library)
		return answers[namespace+" "+library]
	}
}

// holds: AND-003 AND-004 AND-005 AND-006 AND-007 AND-008 AND-012
func TestChoose(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b, apex, updatable string
		answers               map[string]androidOpened
		tried                 string
		origin                androidOrigin
		library               string
		abort                 bool
	}{
		{"a", "b", "", "", map[string]androidOpened{"sphal vulkan.a.so": androidWorks}, "sphal vulkan.a.so", androidBuiltIn, "vulkan.a.so", false},
		{"a", "b", "", "", map[string]androidOpened{"sphal vulkan.b.so": androidWorks}, "sphal vulkan.a.so|sphal vulkan.b.so", androidBuiltIn, "vulkan.b.so", false},
		{"", "b", "", "", map[string]androidOpened{"sphal vulkan.b.so": androidWorks}, "sphal vulkan.b.so", androidBuiltIn, "vulkan.b.so", false},
		{"", "", "", "", nil, "", androidStub, "", false},
		{"a", "b", "", "", nil, "sphal vulkan.a.so|sphal vulkan.b.so", androidStub, "", false},
		{"a", "b", "com.x.y", "", map[string]androidOpened{"sphal vulkan.a.so": androidWorks}, "com_x_y vulkan.a.so|com_x_y vulkan.b.so|sphal vulkan.a.so", androidBuiltIn, "vulkan.a.so", false},
		{"a", "b", "com.x.y", "", map[string]androidOpened{"com_x_y vulkan.b.so": androidWorks}, "com_x_y vulkan.a.so|com_x_y vulkan.b.so", androidAPEX, "vulkan.b.so", false},
		{"a", "b", "com.x.y", "", map[string]androidOpened{"com_x_y vulkan.a.so": androidInvalid, "sphal vulkan.a.so": androidWorks}, "com_x_y vulkan.a.so", androidStub, "", false},
		{"a", "b", "", "", map[string]androidOpened{"sphal vulkan.a.so": androidInvalid, "sphal vulkan.b.so": androidWorks}, "sphal vulkan.a.so", androidStub, "", false},
		{"a", "b", "com.x.y", "/drivers", map[string]androidOpened{"updatable vulkan.b.so": androidWorks}, "updatable vulkan.a.so|updatable vulkan.b.so", androidUpdatable, "vulkan.b.so", false},
		{"a", "b", "com.x.y", "/drivers", map[string]androidOpened{"updatable vulkan.a.so": androidInvalid}, "updatable vulkan.a.so", androidUpdatable, "vulkan.a.so", true},
		{"a", "b", "com.x.y", "/drivers", nil, "updatable vulkan.a.so|updatable vulkan.b.so", androidUpdatable, "vulkan.b.so", true},
	} {
		f := with("ro.hardware.vulkan="+c.a, "ro.board.platform="+c.b, "ro.vulkan.apex="+c.apex)
		var tried []string
		d := f.Choose(c.updatable, opener(c.answers, &tried))
		if strings.Join(tried, "|") != c.tried || d.Origin != c.origin || d.Library != c.library || (d.Abort != "") != c.abort {
			t.Errorf("%+v: %q %+v", c, tried, d)
		}
		if c.abort && !strings.Contains(d.Abort, "/drivers") {
			t.Error(d.Abort)
		}
		if slices.Contains(tried, "sphal vulkan.null.so") { // the null driver is never chosen unless a property names it
			t.Error(tried)
		}
	}
}

// holds: AND-016 AND-017 AND-018 AND-019 AND-020 AND-021 AND-022 AND-026
func TestSelect(t *testing.T) {
	t.Parallel()
	packages := map[string]androidPackage{}
	good := androidPackage{Preinstalled: true, TargetSDK: 26, LibraryPath: "/prod/lib", APK: "/prod.apk", Fits: true}
	installed := func(name string) (androidPackage, bool) { p, ok := packages[name]; return p, ok }
	const prefix = "updatable_driver_"
	for _, c := range []struct {
		properties string
		settings   string
		change     func(a *Android)
		want       string
	}{
		{"", "all_apps=1", nil, ""},
		{"0=prod", "", func(a *Android) { a.privileged = true }, ""},
		{"0=prod", "production_allowlist=*", func(a *Android) { a.system = true }, ""},
		{"0=prod 1=pre", "all_apps=3 production_opt_in_apps=com.x", nil, ""},
		{"0=prod 1=pre", "all_apps=1", nil, "prod"},
		{"1=pre", "all_apps=1", nil, ""},
		{"0=prod 1=pre", "all_apps=2", nil, ""},
		{"0=prod 1=pre", "all_apps=2", func(a *Android) { a.Debuggable = true }, "pre"},
		{"0=prod 1=pre", "all_apps=2", func(a *Android) { a.developer = true }, "pre"},
		{"0=prod 1=pre", "all_apps=2", func(a *Android) { a.Properties["ro.debuggable"] = "1" }, "pre"},
		{"0=prod", "all_apps=2", func(a *Android) { a.Debuggable = true }, ""},
		{"0=prod 1=pre", "all_apps=7 production_opt_in_apps=com.y,com.x", nil, "prod"},
		{"0=prod 1=pre", "production_opt_out_apps=com.x prerelease_opt_in_apps=com.x", func(a *Android) { a.Debuggable = true }, ""},
		{"0=prod 1=pre", "prerelease_opt_in_apps=com.x production_opt_in_apps=com.x", func(a *Android) { a.Debuggable = true }, "pre"},
		{"0=prod 1=pre", "prerelease_opt_in_apps=com.x production_opt_in_apps=com.x", nil, ""},
		{"1=pre", "production_opt_in_apps=com.x", nil, ""},
		{"0=prod", "production_opt_in_apps=com.x production_denylist=com.x", nil, "prod"},
		{"0=prod", "", nil, ""},
		{"0=prod", "production_allowlist=com.y", nil, ""},
		{"0=prod", "production_allowlist=com.y,com.x", nil, "prod"},
		{"0=prod", "production_allowlist=*", nil, "prod"},
		{"0=prod", "production_allowlist=com.y,*", nil, ""},
		{"0=prod", "production_allowlist=* production_denylist=com.x", nil, ""},
	} {
		f := with()
		for _, p := range strings.Fields(c.properties) {
			number, value, _ := strings.Cut(p, "=")
			f.Properties["ro.gfx.driver."+number] = value
		}
		for _, s := range strings.Fields(c.settings) {
			name, value, _ := strings.Cut(s, "=")
			f.Properties[prefix+name] = value
		}
		if c.change != nil {
			c.change(f)
		}
		packages["prod"], packages["pre"] = good, good
		got := f.Select(installed)
		if got.Package != c.want || got.Why == "" {
			t.Errorf("%s, %s: %+v", c.properties, c.settings, got)
		}
		if c.want == "" {
			continue
		}
		if got.Path != "/prod/lib:/prod.apk!/lib/arm64-v8a" {
			t.Errorf("%+v", got)
		}
		// The selection is made once, at the start: later changes of the settings have no effect.
		f.Properties[prefix+"all_apps"] = "3"
		if got.Package != c.want {
			t.Error("changed")
		}
		for what, bad := range map[string]androidPackage{"not of the system": {}, "too old": {Preinstalled: true, TargetSDK: 25}, "for others": {Preinstalled: true, TargetSDK: 30}} {
			delete(f.Properties, prefix+"all_apps")
			for _, s := range strings.Fields(c.settings) {
				name, value, _ := strings.Cut(s, "=")
				f.Properties[prefix+name] = value
			}
			packages["prod"], packages["pre"] = bad, bad
			if got := f.Select(installed); got.Package != "" {
				t.Errorf("a package that is %s: %+v", what, got)
			}
		}
		delete(packages, "prod")
		delete(packages, "pre")
		if got := f.Select(installed); got.Package != "" {
			t.Errorf("not installed: %+v", got)
		}
	}
}

// holds: AND-023
func TestSelectWithoutApp(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]string{"1": "/gpu/drivers/arm64-v8a", "": "", "0": "", "2": "", "true": ""} {
		f := with("ro.gfx.driver.0=prod")
		f.Package, f.libraryPath, f.Machine.Environ = "", "/gpu/drivers", []string{"UPDATABLE_GFX_DRIVER=" + value}
		if got := f.Select(nil); got.Path != want || (got.Package != "") != (want != "") {
			t.Errorf("%q: %+v", value, got)
		}
	}
}
