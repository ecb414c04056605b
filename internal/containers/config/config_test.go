package config

import (
	"strings"
	"testing"
)

// holds: PRO-044 PRO-045 FLS-103 FLS-104
func TestConfig(t *testing.T) {
	t.Parallel()
	c := Default()
	if *c != (Config{AllowHardware: true, AllowEmulated: true}) {
		t.Errorf("defaults: %+v", c)
	}
	text := `{"allow_magma_icds":false,"allow_goldfish_icd":false,"allow_lavapipe_icd":true,` +
		`"lavapipe_icd_url":"lavapipe_icd#meta/vulkan.cm","open_device":true}`
	if err := c.Read([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if *c != (Config{AllowSoftware: true, OpenDevice: true, SoftwareURL: "lavapipe_icd#meta/vulkan.cm"}) {
		t.Errorf("%+v", c)
	}
	count := 0
	Keys(func(name, does string) {
		count++
		if !strings.Contains(text, `"`+name+`"`) {
			t.Errorf("%s is not tested", name)
		}
		if does == "" || len(does) > 53 {
			t.Errorf("%s: %q does not explain it in one line of 80 characters", name, does)
		}
	})
	if count != 5 {
		t.Errorf("%d keys", count)
	}
	for pair, check := range map[string]func(*Config) bool{
		"allow_magma_icds=true":   func(c *Config) bool { return c.AllowHardware },
		"lavapipe_icd_url=pkg://": func(c *Config) bool { return c.SoftwareURL == "pkg://" },
		`lavapipe_icd_url="a=b"`:  func(c *Config) bool { return c.SoftwareURL == "a=b" },
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
		`{"allow_magma_icd":true}`:                                `"allow_magma_icd"`,
		`{"Allow_Magma_ICDs":true}`:                               `"Allow_Magma_ICDs"`,
		`{"directory":"/a"}`:                                      `"directory"`,
		`{"step_timeout_ms":5}`:                                   `"step_timeout_ms"`,
		`{"allow_magma_icds":1}`:                                  "allow_magma_icds: needs a boolean, not a number",
		`{"allow_magma_icds": null }`:                             "allow_magma_icds: null is no value",
		`{"lavapipe_icd_url":["a"]}`:                              "lavapipe_icd_url: needs a string, not a",
		`{"lavapipe_icd_url":"` + strings.Repeat("u", 121) + `"}`: "lavapipe_icd_url: longer",
		`[]`: "not a JSON object", `null`: "not a JSON object", `{`: "not a JSON object", ``: "not a JSON object",
	} {
		if err := Default().Read([]byte(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.60s: %v", text, err)
		}
	}
	for _, pair := range []string{"open_device", "open_device=", "open_device=yes"} {
		if err := Default().Set(pair); err == nil {
			t.Error(pair)
		}
	}
}
