package state

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"vkloader/internal/containers/component"
)

// World does what the state decides. What it finds out comes back by a later call of the state, never from within.
type World interface {
	Query(*Device)   // which drivers the device lists; Listed brings the answer
	Load(*Component) // Progress and Finished bring what becomes of it
	Show(*Device)    // clients may see the device's node
	Hide(*Device)
	Publish(*Component) // clients may read the manifest
	Withdraw(*Component)
	Chosen(d *Device, unfinished []*Component) // the device has an active driver; of those listed, these are not ready
	Notify()                                   // have Changed called, soon
}

// Kind of a device.
type Kind uint8

// Kinds of devices.
const (
	Hardware Kind = iota
	Emulated
	Software // a pseudo-device, without hardware (FLS-050)
)

// Modes of the software driver (PRO-031).
const (
	Fallback = "fallback" // only when no device has a driver
	Always   = "always"   // beside any hardware
)

// Options are what a configuration says.
type Options struct {
	AllowHardware, AllowEmulated, AllowSoftware bool

	SoftwareURL  string
	SoftwareMode string
	RetryFailed  bool // a URL that failed is tried again for a new device
	KeepStale    bool // manifests stay when their device goes
	OldNames     bool // devices are named as on Fuchsia
}

// Entry is a driver that a device lists.
type Entry struct {
	URL   string
	Flags uint32
}

// Vulkan is the flag of a driver for Vulkan; others are for other interfaces (FLS-055).
const Vulkan = 1

// Device is a graphics device.
type Device struct {
	Kind    Kind
	Node    string // of the device, as renderD128; "0" for software
	ICDs    []*ICD // best first
	Active  *Component
	Primary string // the node that only trusted clients see, as card0; "" without

	options *Options
	token   *Token // while it is asked for its drivers
}

// ICD is an entry of a device's list; without the flag for Vulkan it has no component.
type ICD struct {
	Entry
	Component *Component
}

// Name is the device's name in the inspect tree (FLS-099, PRO-030).
func (d *Device) Name() string {
	prefix := map[Kind]string{Hardware: "drm-", Emulated: "virt-", Software: "lavapipe-"}
	if d.options.OldNames {
		prefix = map[Kind]string{Hardware: "magma-", Emulated: "goldfish-", Software: "lavapipe-"}
	}
	return prefix[d.Kind] + d.Node
}

// Component is where a driver comes from.
type Component struct {
	component.Report
	Number int // from 0, in the order of creation
	URL    string

	token     *Token // until it is ready or has failed
	failed    bool
	published bool
}

// Running tells whether its lookup has not come to an end.
func (c *Component) Running() bool { return c.token != nil }

// Ready tells whether its library can be handed out.
func (c *Component) Ready() bool { return !c.failed && c.Status == component.Initialized }

// State is all that the service knows.
type State struct {
	Devices    []*Device // in the order of addition
	Components []*Component
	Healthy    bool // some device has had an active driver (FLS-097)

	world   World
	options Options
	byURL   map[string]*Component
	tokens  map[*Token]string
	queued  bool // a notification is
	clients []*Client
	soft    bool // the software device was added
}

// New makes the state of a service that has just started.
func New(world World, options Options) *State {
	return &State{world: world, options: options, byURL: map[string]*Component{}, tokens: map[*Token]string{}}
}

// Start adds the software driver that is there beside any hardware, and has the first look taken.
func (s *State) Start() {
	if s.options.SoftwareMode == Always {
		s.addSoftware()
	}
	s.notify()
}

// Token says that something is still to be found out (FLS-037).
type Token struct{ state *State }

// Pend makes a token; the owner says who holds it.
func (s *State) Pend(owner string) *Token {
	t := &Token{s}
	s.tokens[t] = owner
	return t
}

// Release gives a token back; the last one has the waiting told (FLS-038). A second time does nothing.
func (t *Token) Release() {
	if t == nil || t.state == nil {
		return
	}
	s := t.state
	t.state = nil
	if delete(s.tokens, t); len(s.tokens) == 0 {
		s.notify()
	}
}

// notify has Changed called; one notification stands for many.
func (s *State) notify() {
	if !s.queued {
		s.queued = true
		s.world.Notify()
	}
}

// Busy tells whether something is still to be found out, or to be told (FLS-039).
func (s *State) Busy() bool { return len(s.tokens) > 0 || s.queued }

// Owners are those who hold tokens, sorted.
func (s *State) Owners() []string { return slices.Sorted(maps.Values(s.tokens)) }

// Add adds a device and asks for its drivers.
func (s *State) Add(node, primary string) *Device {
	d := &Device{Node: node, Primary: primary, options: &s.options}
	d.token = s.Pend("device " + node)
	s.Devices = append(s.Devices, d)
	s.world.Show(d) // before any manifest of it (FLS-031)
	s.world.Query(d)
	return d
}

// Listed brings the drivers of a device. One that could not be asked, or is of a kind that is not wanted, is dropped
// (FLS-058).
func (s *State) Listed(d *Device, kind Kind, entries []Entry, err error) {
	if !slices.Contains(s.Devices, d) { // it went meanwhile
		return
	}
	d.Kind = kind
	if err != nil || kind == Hardware && !s.options.AllowHardware || kind == Emulated && !s.options.AllowEmulated {
		s.Remove(d)
		return
	}
	s.list(d, entries)
	d.token.Release()
}

func (s *State) list(d *Device, entries []Entry) {
	for _, e := range entries {
		icd := &ICD{Entry: e}
		if e.Flags&Vulkan != 0 {
			icd.Component = s.component(e.URL)
		}
		d.ICDs = append(d.ICDs, icd)
	}
	if len(entries) > 0 {
		s.notify() // a component that is there already may serve it
	}
}

// component gives the component of a URL; each URL has one (FLS-061).
func (s *State) component(url string) *Component {
	if c := s.byURL[url]; c != nil && !(c.failed && s.options.RetryFailed) {
		return c
	}
	c := &Component{Number: len(s.Components), URL: url, Report: component.Report{Status: component.Uninitialized}}
	c.token = s.Pend("component " + strconv.Itoa(c.Number))
	s.Components = append(s.Components, c)
	s.byURL[url] = c
	s.world.Load(c)
	return c
}

// Remove takes a device away (FLS-049).
func (s *State) Remove(d *Device) {
	at := slices.Index(s.Devices, d)
	if at < 0 {
		return
	}
	s.Devices = slices.Delete(s.Devices, at, at+1)
	s.world.Hide(d)
	d.token.Release()
	s.notify()
}

// Find gives the device of a node; nil without.
func (s *State) Find(node string) *Device {
	for _, d := range s.Devices {
		if d.Kind != Software && d.Node == node {
			return d
		}
	}
	return nil
}

// Progress brings how far a lookup is.
func (s *State) Progress(c *Component, report component.Report) {
	if c.Running() {
		c.Report = report
	}
}

// Finished brings the end of a lookup.
func (s *State) Finished(c *Component, report component.Report, err error) {
	if !c.Running() {
		return
	}
	c.Report, c.failed = report, err != nil
	token := c.token
	c.token = nil
	token.Release()
	s.notify() // also while others are looked up (FLS-041)
}

// Changed recomputes everything and tells those who wait; it is called once for each Notify.
func (s *State) Changed() {
	s.queued = false
	wanted := map[*Component]bool{}
	for _, d := range s.Devices {
		before := d.Active
		if d.Active = d.choose(); d.Active == nil {
			continue
		}
		wanted[d.Active] = true
		s.Healthy = true
		if d.Active == before {
			continue
		}
		var unfinished []*Component
		for _, icd := range d.ICDs {
			if icd.Component != nil && !icd.Component.Ready() {
				unfinished = append(unfinished, icd.Component)
			}
		}
		s.world.Chosen(d, unfinished)
	}
	for _, c := range s.Components {
		switch {
		case wanted[c] && !c.published:
			c.published = true
			s.world.Publish(c)
		case !wanted[c] && c.published && !s.options.KeepStale:
			c.published = false
			s.world.Withdraw(c)
		}
	}
	if len(wanted) == 0 && len(s.tokens) == 0 {
		s.addSoftware() // clients then go on waiting for it
	}
	for _, c := range slices.Clone(s.clients) {
		c.retry()
	}
}

// addSoftware adds the software driver, once (FLS-050, FLS-052).
func (s *State) addSoftware() {
	if s.soft || !s.options.AllowSoftware || s.options.SoftwareURL == "" {
		return
	}
	s.soft = true
	d := &Device{Kind: Software, Node: "0", options: &s.options}
	s.Devices = append(s.Devices, d)
	s.list(d, []Entry{{s.options.SoftwareURL, Vulkan}})
}

// choose picks the first driver that is ready, when all before it have failed (FLS-084).
func (d *Device) choose() *Component {
	for _, icd := range d.ICDs {
		switch c := icd.Component; {
		case c == nil || c.failed:
		case c.Ready():
			return c
		default:
			return nil
		}
	}
	return nil
}

// library finds a published library by its name; nil without (FLS-016 to FLS-018).
func (s *State) library(name string) *Component {
	for _, d := range s.Devices {
		for _, icd := range d.ICDs {
			c := icd.Component
			if c == nil || c.failed {
				continue
			}
			if !c.Ready() {
				break
			}
			if c.LibraryPath == name {
				return c
			}
		}
	}
	return nil
}

// Counts are for those who watch the service.
func (s *State) Counts() (clients, waiting int) {
	for _, c := range s.clients {
		waiting += len(c.gets) + len(c.idle)
	}
	return len(s.clients), waiting
}

// String says what is pending, for a log.
func (s *State) String() string {
	return fmt.Sprintf("%d devices, %d components, pending %v", len(s.Devices), len(s.Components), s.Owners())
}
