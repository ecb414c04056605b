package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"vkloader/internal/decide/wording"
)

// Config is the content of the service's configuration file: keys with descriptions and defaults.
type Config struct {
	AllowHardware bool   `json:"allow_magma_icds" does:"offer drivers of packages for hardware (true)"`
	AllowEmulated bool   `json:"allow_goldfish_icd" does:"the same for emulated devices (true)"`
	AllowSoftware bool   `json:"allow_lavapipe_icd" does:"offer a software driver if it is needed (false)"`
	SoftwareURL   string `json:"lavapipe_icd_url" does:"URL of the package with the software driver"`
	OpenDevice    bool   `json:"open_device" does:"open device nodes for every client (false)"`

	Directory string `json:"-"` // the directory of the file, for relative URLs; "" without a file
}

// Without a key:
var (
	// PackageRoots are the directories of packages, in order: the administrator's, then the distribution's. A package
	// in another directory has a file:// URL.
	PackageRoots = []string{"/usr/local/share/vkloader/packages", "/usr/share/vkloader/packages"}
	// GPUTables are the directories with tables of drivers: the administrator's files precede those of packages.
	GPUTables = []string{"/etc/vkloader/gpu.d", "/usr/share/vkloader/gpu.d"}
)

// StepTimeout is the time limit of a step of a look-up: a cold disk reads a driver in a second, a dead one never.
const StepTimeout = 10 * time.Second

// maxURL is the longest URL of the software driver in bytes (FLS-103).
const maxURL = 120

// Default returns the configuration of a service without a file (PRO-045).
func Default() *Config { return &Config{AllowHardware: true, AllowEmulated: true} }

// Keys calls f with the name and the description of each key, in order.
func Keys(f func(name, does string)) {
	for _, field := range reflect.VisibleFields(reflect.TypeFor[Config]()) {
		if does := field.Tag.Get("does"); does != "" {
			f(field.Tag.Get("json"), does)
		}
	}
}

// Read applies the text of a configuration file. An error names the key.
func (c *Config) Read(text []byte) error {
	var values map[string]json.RawMessage
	if err := wording.Malformed(text, json.Unmarshal(text, &values)); err != nil {
		return fmt.Errorf("not a JSON object: %w", err)
	}
	if values == nil {
		return errors.New("not a JSON object")
	}
	// Unlike DisallowUnknownFields, this refuses null, and names in other case.
	unknown := maps.Clone(values)
	Keys(func(name, _ string) { delete(unknown, name) })
	for _, name := range slices.Sorted(maps.Keys(unknown)) {
		return fmt.Errorf("unknown key %q", name)
	}
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if string(values[name]) == "null" {
			return fmt.Errorf("%s: null is no value", name)
		}
	}
	var wrong *json.UnmarshalTypeError
	if err := json.Unmarshal(text, c); errors.As(err, &wrong) {
		kind := strings.Replace(wrong.Type.String(), "bool", "boolean", 1)
		return fmt.Errorf("%s: needs a %s, not a %s", wrong.Field, kind, wrong.Value)
	} else if err != nil {
		return err
	}
	if len(c.SoftwareURL) > maxURL {
		return fmt.Errorf("lavapipe_icd_url: longer than %d bytes", maxURL)
	}
	return nil
}

// Set changes one key, from KEY=VALUE; the value is JSON, or a text without its quotes.
func (c *Config) Set(pair string) error {
	name, value, found := strings.Cut(pair, "=")
	if !found {
		return fmt.Errorf("needs KEY=VALUE, got %q", pair)
	}
	object := map[string]any{name: json.RawMessage(value)}
	if !json.Valid([]byte(value)) {
		object[name] = value
	}
	text, err := json.Marshal(object)
	if err != nil {
		return err
	}
	return c.Read(text)
}
