package ui

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/survey"
	"vkloader/internal/tool/term"
)

// devicesStart lists the devices in a child process, with a form that chooses some of them for the settings file.
var devicesStart = &Page{Name: "devices", Title: "Listing devices", Data: devicesOf}

// devices is the data of the part.
type devices struct {
	App     string
	List    []chosenDevice
	Problem string // why they could not be listed, or not all
}

// chosenDevice is a device with its place among the devices of the settings.
type chosenDevice struct {
	survey.Device
	Place   int    // from 1; 0: not chosen
	Refused string // why settings cannot name it; "": they can
}

func devicesOf(r *Request) (any, error) {
	s, err := subjectOf(r)
	if err != nil {
		return nil, err
	}
	var found struct {
		Devices []survey.Device
		Problem string
	}
	if err := r.Tool.Run(r, "list", "devices", "--json").Decode(&found); err != nil {
		return &devices{Problem: err.Error()}, nil
	}
	view := &devices{App: s.App, Problem: found.Problem}
	file, err := settingsInForce(r, s.App)
	if err != nil {
		return nil, err
	}
	for i, d := range found.Devices {
		one := chosenDevice{Device: d}
		if _, err := settings.DeviceEntry(&d.Device); err != nil {
			one.Refused = strings.TrimPrefix(err.Error(), "--device: ")
		}
		for j, o := range found.Devices {
			if j != i && o.DeviceUUID == d.DeviceUUID && one.Refused == "" {
				one.Refused = "it has the same UUIDs as " + o.Name + ": no settings can tell them apart"
			}
		}
		if file.InForce != nil {
			one.Place = 1 + slices.IndexFunc(file.InForce.Devices,
				func(c settings.ShownDevice) bool { return c.DeviceUUID == d.DeviceUUID })
		}
		view.List = append(view.List, one)
	}
	return view, nil
}

// Places returns the places that a device can have.
func (d *devices) Places() (list []int) {
	for _, one := range d.List {
		if one.Refused == "" {
			list = append(list, len(list)+1)
		}
	}
	return list
}

// Lasting says how the settings find a device after an update of its driver.
func (*devices) Lasting() string { return settings.Lasting }

// planDevices plans to write the chosen devices, from fields at-UUID with the place of each device. The command line
// runs in a child, which tries the settings.
func planDevices(r *Request) (*Plan, error) {
	app, err := r.program()
	if err != nil {
		return nil, err
	}
	places := map[int]string{}
	for _, uuid := range r.Query["device"] {
		n, err := strconv.Atoi(term.Or(r.Query.Get("at-"+uuid), "0"))
		switch {
		case err != nil || n < 0:
			return nil, errors.New("this is not a place of a device")
		case n > 0 && places[n] != "":
			return nil, errors.New("two devices have the place " + strconv.Itoa(n))
		case n > 0:
			places[n] = uuid
		}
	}
	c := r.options(app)
	for n := range len(r.Query["device"]) {
		if uuid := places[n+1]; uuid != "" {
			c.Devices = append(c.Devices, uuid)
		}
	}
	if len(places) == 0 {
		return nil, errors.New("choose at least one device")
	}
	return planOf(r, &Plan{Title: "Choose the devices for " + term.Or(app, settings.AllPrograms), Args: c.Words("set"),
		Note: settings.Lasting, Child: true})
}
