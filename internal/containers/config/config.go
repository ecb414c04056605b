package config

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"vkloader/internal/containers/state"
	"vkloader/internal/decide/wording"
)

// Config is the content of the service's configuration file.
type Config struct {
	AllowHardware  bool
	AllowEmulated  bool
	AllowSoftware  bool
	SoftwareURL    string // at most maxURL bytes
	SoftwareMode   string // state.Fallback or state.Always
	MachineDrivers bool
	OpenDevice     bool // device nodes are opened for clients

	PackageRoots  []string // directories with packages
	GPUTables     []string // directories with tables of drivers
	OCICache      string   // directory for unpacked images; "": in the service's private one
	TrustedGroups []string

	RetryFailed     bool
	KeepStale       bool
	OldNames        bool
	TolerateMissing bool
	NoSymlinks      bool // in packages
	CheckLibraries  bool

	StepTimeout time.Duration
	IdleExit    time.Duration // 0: never

	Directory string // the directory of the file, for relative URLs; "" without a file
}

// maxURL is the longest URL of the software driver in bytes (FLS-103).
const maxURL = 120

// Default returns the configuration of a service without a file (PRO-045).
func Default() *Config {
	return &Config{AllowHardware: true, AllowEmulated: true, SoftwareMode: state.Fallback, MachineDrivers: true,
		PackageRoots:    []string{"/usr/local/share/vkloader/packages", "/usr/share/vkloader/packages"},
		GPUTables:       []string{"/etc/vkloader/gpu.d", "/usr/share/vkloader/gpu.d"},
		TolerateMissing: true, StepTimeout: 10 * time.Second}
}

// key is a key of the file.
type key struct {
	name string
	does string // in one short line, with the default in parentheses
	set  func(c *Config, value json.RawMessage) error
}

// into reads a value into a field.
func into[T any](field func(*Config) *T) func(*Config, json.RawMessage) error {
	return func(c *Config, value json.RawMessage) error {
		var read T
		if bytes.Equal(bytes.TrimSpace(value), []byte("null")) {
			return errors.New("null is no value")
		}
		if err := json.Unmarshal(value, &read); err != nil {
			var wrong *json.UnmarshalTypeError
			if errors.As(err, &wrong) {
				return fmt.Errorf("needs a %s, not a %s", kindOf(read), wrong.Value)
			}
			return err
		}
		*field(c) = read
		return nil
	}
}

func kindOf(value any) string {
	switch value.(type) {
	case bool:
		return "boolean"
	case string:
		return "string"
	case []string:
		return "list of strings"
	}
	return "whole number"
}

// span reads a number of units of time.
func span(unit time.Duration, least int64, field func(*Config) *time.Duration) func(*Config, json.RawMessage) error {
	return func(c *Config, value json.RawMessage) error {
		var count int64
		if err := into(func(*Config) *int64 { return &count })(c, value); err != nil {
			return err
		}
		if count < least || count > int64(365*24*time.Hour/unit) {
			return fmt.Errorf("%d is out of range", count)
		}
		*field(c) = time.Duration(count) * unit
		return nil
	}
}

// absolute reads paths that have to begin with a slash.
func absolute(field func(*Config) *[]string) func(*Config, json.RawMessage) error {
	read := into(field)
	return func(c *Config, value json.RawMessage) error {
		if err := read(c, value); err != nil {
			return err
		}
		for _, p := range *field(c) {
			if !path.IsAbs(p) {
				return fmt.Errorf("%q is not an absolute path", p)
			}
		}
		return nil
	}
}

var keys = []key{
	{"allow_drm_icds", "offer drivers of packages for hardware (true)", into(func(c *Config) *bool { return &c.AllowHardware })},
	{"allow_magma_icds", "another name of allow_drm_icds", into(func(c *Config) *bool { return &c.AllowHardware })}, // its name on Fuchsia
	{"allow_goldfish_icd", "the same for emulated devices (true)", into(func(c *Config) *bool { return &c.AllowEmulated })},
	{"allow_lavapipe_icd", "offer a software driver if it is needed (false)", into(func(c *Config) *bool { return &c.AllowSoftware })},
	{"lavapipe_icd_url", "URL of the package with the software driver", func(c *Config, value json.RawMessage) error {
		if err := into(func(c *Config) *string { return &c.SoftwareURL })(c, value); err != nil {
			return err
		}
		if len(c.SoftwareURL) > maxURL {
			return fmt.Errorf("longer than %d bytes", maxURL)
		}
		return nil
	}},
	{"software_mode", "when to offer it: fallback or always (fallback)", func(c *Config, value json.RawMessage) error {
		if err := into(func(c *Config) *string { return &c.SoftwareMode })(c, value); err != nil {
			return err
		}
		if c.SoftwareMode != state.Fallback && c.SoftwareMode != state.Always {
			return fmt.Errorf("%q is neither %q nor %q", c.SoftwareMode, state.Fallback, state.Always)
		}
		return nil
	}},
	{"machine_drivers", "offer the drivers of this machine (true)", into(func(c *Config) *bool { return &c.MachineDrivers })},
	{"open_device", "open device nodes for every client (false)", into(func(c *Config) *bool { return &c.OpenDevice })},
	{"package_roots", "directories of packages, in order", absolute(func(c *Config) *[]string { return &c.PackageRoots })},
	{"gpu_tables", "directories with tables of devices, in order", absolute(func(c *Config) *[]string { return &c.GPUTables })},
	{"oci_cache", "directory for unpacked images", func(c *Config, value json.RawMessage) error {
		err := into(func(c *Config) *string { return &c.OCICache })(c, value)
		if err == nil && !path.IsAbs(c.OCICache) {
			err = fmt.Errorf("%q is not an absolute path", c.OCICache)
		}
		return err
	}},
	{"trusted_groups", "groups of trusted clients (none)", into(func(c *Config) *[]string { return &c.TrustedGroups })},
	{"retry_failed", "try failed packages for further devices (false)", into(func(c *Config) *bool { return &c.RetryFailed })},
	{"keep_stale_manifests", "keep manifests of removed devices (false)", into(func(c *Config) *bool { return &c.KeepStale })},
	{"fuchsia_names", "use the names of devices on Fuchsia (false)", into(func(c *Config) *bool { return &c.OldNames })},
	{"tolerate_missing_sources", "run without a watch on devices (true)", into(func(c *Config) *bool { return &c.TolerateMissing })},
	{"no_symlinks", "follow no links in packages (false)", into(func(c *Config) *bool { return &c.NoSymlinks })},
	{"check_libraries", "refuse libraries for other machines (false)", into(func(c *Config) *bool { return &c.CheckLibraries })},
	{"step_timeout_ms", "time limit of a step of a look-up (10000)", span(time.Millisecond, 1, func(c *Config) *time.Duration { return &c.StepTimeout })},
	{"idle_exit_seconds", "exit after this time without a client; 0: never (0)", span(time.Second, 0, func(c *Config) *time.Duration { return &c.IdleExit })},
}

// Keys calls f with the name and the description of each key, in order.
func Keys(f func(name, does string)) {
	for _, k := range keys {
		f(k.name, k.does)
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
	for name := range values {
		if !slices.ContainsFunc(keys, func(k key) bool { return k.name == name }) {
			return fmt.Errorf("unknown key %q", name)
		}
	}
	for _, k := range keys {
		if value, there := values[k.name]; there {
			if err := k.set(c, value); err != nil {
				return fmt.Errorf("%s: %w", k.name, err)
			}
		}
	}
	return nil
}

// Set changes one key, from KEY=VALUE; the value is JSON, or a text without its quotes.
func (c *Config) Set(pair string) error {
	name, value, found := strings.Cut(pair, "=")
	if !found {
		return fmt.Errorf("needs KEY=VALUE, got %q", pair)
	}
	if !json.Valid([]byte(value)) {
		quoted, err := json.Marshal(value)
		if err != nil {
			return err
		}
		value = string(quoted)
	}
	object, err := json.Marshal(map[string]json.RawMessage{name: json.RawMessage(value)})
	if err != nil {
		return err
	}
	return c.Read(object)
}
