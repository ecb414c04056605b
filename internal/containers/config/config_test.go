package config

import (
	"reflect"
	"strings"
	"testing"
	"time"
)

// holds: PRO-044 PRO-045 FLS-103 FLS-104
func TestConfig(t *testing.T) {
	t.Parallel()
	c := Default()
	if !c.AllowHardware || !c.AllowEmulated || c.AllowSoftware || c.IdleExit != 0 || c.StepTimeout != 10*time.Second || !c.TolerateMissing {
		t.Errorf("defaults: %+v", c)
	}
	text := `{"allow_drm_icds":false,"allow_goldfish_icd":false,"allow_lavapipe_icd":true,"lavapipe_icd_url":"lavapipe_icd#meta/vulkan.cm",
		"software_mode":"always","machine_drivers":false,"open_device":true,"package_roots":["/a","/b"],"gpu_tables":["/c"],"oci_cache":"/d",
		"trusted_groups":["video"],"retry_failed":true,"keep_stale_manifests":true,"fuchsia_names":true,"tolerate_missing_sources":false,
		"no_symlinks":true,"check_libraries":true,"step_timeout_ms":5,"idle_exit_seconds":60}`
	if err := c.Read([]byte(text)); err != nil {
		t.Fatal(err)
	}
	want := &Config{AllowSoftware: true, OpenDevice: true, SoftwareURL: "lavapipe_icd#meta/vulkan.cm", SoftwareMode: "always", PackageRoots: []string{"/a", "/b"},
		GPUTables: []string{"/c"}, OCICache: "/d", TrustedGroups: []string{"video"}, RetryFailed: true, KeepStale: true, OldNames: true,
		NoSymlinks: true, CheckLibraries: true, StepTimeout: 5 * time.Millisecond, IdleExit: time.Minute}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("%+v", c)
	}
	Keys(func(name, does string) {
		if !strings.Contains(text, `"`+name+`"`) && name != "allow_magma_icds" {
			t.Errorf("%s is not tested", name)
		}
		if does == "" || len(does) > 53 {
			t.Errorf("%s: %q does not explain it in one line of 80 characters", name, does)
		}
	})
	for pair, check := range map[string]func(*Config) bool{
		"allow_magma_icds=true":   func(c *Config) bool { return c.AllowHardware },
		"lavapipe_icd_url=pkg://": func(c *Config) bool { return c.SoftwareURL == "pkg://" },
		`package_roots=["/x"]`:    func(c *Config) bool { return len(c.PackageRoots) == 1 },
	} {
		if err := c.Set(pair); err != nil || !check(c) {
			t.Errorf("%s: %v", pair, err)
		}
	}
}

// Every invalid value is refused, with the name of its key.
//
// holds: PRO-044 FLS-103
func TestRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"allow_drm_icd":true}`:                                  `"allow_drm_icd"`,
		`{"allow_drm_icds":1}`:                                    "allow_drm_icds: needs a boolean",
		`{"allow_drm_icds":null}`:                                 "allow_drm_icds",
		`{"software_mode":"never"}`:                               "software_mode",
		`{"package_roots":["a"]}`:                                 "package_roots",
		`{"package_roots":"/a"}`:                                  "package_roots: needs a list of strings",
		`{"oci_cache":"a"}`:                                       "oci_cache",
		`{"step_timeout_ms":0}`:                                   "step_timeout_ms",
		`{"step_timeout_ms":1.5}`:                                 "step_timeout_ms: needs a whole number",
		`{"idle_exit_seconds":-1}`:                                "idle_exit_seconds",
		`{"idle_exit_seconds":99999999999}`:                       "idle_exit_seconds",
		`{"lavapipe_icd_url":"` + strings.Repeat("u", 121) + `"}`: "lavapipe_icd_url",
		`[]`: "not a JSON object", `null`: "not a JSON object", `{`: "not a JSON object", ``: "not a JSON object",
	} {
		if err := Default().Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
	if err := Default().Set("retry_failed"); err == nil {
		t.Error("a key without a value")
	}
}
