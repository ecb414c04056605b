package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"strings"
	"time"

	"vkloader/discover"
	"vkloader/internal/tool/doctor"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/probe"
	"vkloader/internal/tool/settingsfile"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// settingsLook is how long a child may take that looks at devices for settings.
const settingsLook = 30 * time.Second

// askedDevices are the devices of this machine, asked for settings.
type askedDevices struct {
	s        *invocation
	place    *settingsfile.Found
	found    probe.Place
	devices  *survey.Devices
	warnings []string // what is to be known of the settings
}

func (a *askedDevices) warn(format string, args ...any) {
	a.warnings = append(a.warnings, fmt.Sprintf(format, args...))
}

// source is what the child sees.
func (a *askedDevices) source() *machine.Source {
	return &machine.Source{Machine: a.place.Machine, Program: a.found.Child}
}

// List asks the probe for all devices, hidden ones included.
func (a *askedDevices) List() ([]discover.Device, error) {
	if a.place.Machine.Foreign() {
		return nil, errors.New("--device below --root wants DEVICEUUID/DRIVERUUID/VERSION: no driver of another machine can be asked")
	}
	var err error
	if a.found, err = probe.Find(a.s.executable, ""); err == nil {
		a.devices, err = survey.LookAtDevices(a.found, a.source(), settingsLook)
	}
	if err != nil {
		return nil, notLooked(err)
	}
	var all []discover.Device
	for _, d := range a.devices.List {
		all = append(all, d.Device)
	}
	if len(all) == 0 && a.devices.Problem != "" {
		return nil, exit.Problem("no devices: %s", a.devices.Problem)
	}
	return all, nil
}

// Manifest is that of a driver which is there by a variable only: with devices in the settings, variables do not count
// (SET-98).
func (a *askedDevices) Manifest(d *discover.Device) (string, error) {
	if !a.devices.List[d.Index].Brought {
		return "", nil
	}
	names, err := survey.InForce(a.source())
	if err != nil {
		return "", exit.As(exit.NotLooked, err)
	}
	manifest, err := survey.ManifestOf(a.found, a.source(), d, settingsLook)
	if err != nil {
		return "", exit.As(exit.NotLooked, err)
	}
	if manifest != "" {
		a.warn("the driver of %s is there by %s only, which does not count while there are devices in the settings: its manifest %s is in them, too",
			d.Name, strings.Join(names, " and "), manifest)
	}
	return manifest, nil
}

// Try makes sure that programs get these devices, and says what variables have to do with it.
func (a *askedDevices) Try(object map[string]any, chosen []discover.Device) error {
	object = maps.Clone(object)
	delete(object, "app_keys")
	text, err := json.Marshal(map[string]any{"file_format_version": "1.0.0", "settings_array": []any{object}})
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	got, err := survey.Try(a.found, a.source(), string(text), settingsLook)
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	if entries, _ := object["device_configurations"].([]any); len(entries) == len(chosen) && !survey.Same(got.Devices, chosen) {
		var names []string
		for _, d := range got.Devices {
			names = append(names, d.Name)
		}
		wrong := chosen[0].Name
		if got.Problem != "" {
			wrong += ": " + got.Problem
		}
		return exit.Problem("not written: a program with these settings would get %s instead of %s", term.Or(strings.Join(names, ", "), "no device"), wrong)
	}
	names, err := survey.InForce(a.source())
	if err != nil {
		return exit.As(exit.NotLooked, err)
	}
	said := false
	for _, d := range chosen {
		switch listed := a.devices.List[d.Index]; listed.HiddenBy {
		case survey.MesaLayer, survey.Filters:
			a.warn("%s stays hidden: it is %s, which settings do not change", d.Name, listed.Why)
		case survey.Variables:
			said = true
			a.warn("%s: %s. With these settings programs on this loader still get the device; on another loader they may not: %s",
				d.Name, listed.Why, a.unset(names))
		}
	}
	if !said && len(names) > 0 {
		a.warn("while there are devices in the settings, programs ignore %s", strings.Join(names, " and "))
	}
	return nil
}

// unset says how variables go, and where they are set.
func (a *askedDevices) unset(names []string) string {
	text := "unset " + strings.Join(names, " ")
	for _, name := range names {
		if at := doctor.SetIn(&a.place.Machine, name); len(at) > 0 {
			text += "; " + name + " is set in " + at[0].String()
		}
	}
	return text
}
