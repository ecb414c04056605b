package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// set is the drivers and layers with which all items are measured.
type set struct {
	name, title string
	environ     []string
	bare        string // the driver's library, for a program without a loader; empty: not measured
	real        bool   // the drivers drive hardware or render
}

// mesa are the manifests of Debian 12's mesa-vulkan-drivers on this architecture.
var mesa = []string{"intel_hasvk_icd.x86_64.json", "intel_icd.x86_64.json", "lvp_icd.x86_64.json", "radeon_icd.x86_64.json"}

const driverDirectory = "/usr/share/vulkan/icd.d"

// environ returns the environment of a measured process, which has only the paths of programs and libraries. alone
// excludes the machine's layers.
func (b *bench) environ(drivers string, alone bool, more ...string) []string {
	e := []string{"PATH=" + os.Getenv("PATH"), "HOME=" + b.empty, "BENCH_NAMES=" + b.names, "VK_DRIVER_FILES=" + drivers}
	if path := os.Getenv("LD_LIBRARY_PATH"); path != "" {
		e = append(e, "LD_LIBRARY_PATH="+path)
	}
	if alone {
		e = append(e, "XDG_DATA_DIRS="+b.empty, "XDG_CONFIG_DIRS="+b.empty)
	}
	return append(e, more...)
}

// defaultSets are the null driver on the machine as it is, the null driver without the machine's layers, and Mesa's
// drivers.
func (b *bench) defaultSets() []set {
	null := filepath.Join(b.build, "drivers/null_icd.json")
	sets := []set{
		{name: "null", title: "The null driver, with the layers of this machine", environ: b.environ(null, false), bare: b.nullDriver()},
		{name: "alone", title: "The null driver, no layer on the machine", environ: b.environ(null, true), bare: b.nullDriver()},
	}
	var there []string
	for _, file := range mesa {
		if path := filepath.Join(driverDirectory, file); exists(path) {
			there = append(there, path)
		}
	}
	switch {
	case len(there) == len(mesa):
		sets = append(sets, set{name: "mesa", title: "Mesa's four drivers, with the layers of this machine", real: true,
			environ: b.environ(strings.Join(there, ":"), false)})
		home, err := b.policy()
		if err != nil {
			b.note("no home directory with a hardware policy: %v", err)
			break
		}
		sets = append(sets, set{name: "policy", title: "The same, and vkloader's policy to open only drivers whose hardware is here", real: true,
			environ: b.environ(strings.Join(there, ":"), false, "HOME="+home)})
	default:
		b.note("%d of Mesa's %d drivers are in %s: not measured", len(there), len(mesa), driverDirectory)
	}
	return sets
}

func (b *bench) nullDriver() string { return filepath.Join(b.build, "drivers/libvk_null.so") }

// policy makes a home directory with a settings file that excludes drivers without hardware. The reference ignores
// that setting.
func (b *bench) policy() (home string, err error) {
	home = b.empty + "-policy"
	directory := filepath.Join(home, ".config/vulkan/loader_settings.d")
	if err := os.MkdirAll(directory, 0o755); err != nil {
		return "", err
	}
	text := `{"file_format_version":"1.0.0","settings":{"vkloader_driver_hardware":"present"}}`
	return home, os.WriteFile(filepath.Join(directory, "vk_loader_settings.json"), []byte(text), 0o644)
}

// givenSet parses a set of -drivers: NAME=FILE[:FILE...].
func (b *bench) givenSet(text string) (set, error) {
	name, files, ok := strings.Cut(text, "=")
	if !ok || name == "" || files == "" {
		return set{}, fmt.Errorf("-drivers %q: want NAME=FILE[:FILE...]", text)
	}
	for _, file := range strings.Split(files, ":") {
		if !exists(file) {
			return set{}, fmt.Errorf("-drivers %s: there is no file %s", name, file)
		}
	}
	return set{name: name, title: "Drivers: " + files, real: true, environ: b.environ(files, false)}, nil
}

func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
