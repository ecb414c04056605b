package state

import (
	"fmt"
	"maps"
	"slices"
	"strconv"

	"vkloader/internal/containers/component"
)

// World carries out the state's decisions. Results come back in a later call of the state, never from within.
type World interface {
	Query(*Device)   // asks which drivers the device lists; Listed returns the answer
	Load(*Component) // looks the component up; Progress and Finished report the results
	Show(*Device)    // makes the device's node visible to clients
	Hide(*Device)
	Publish(*Component) // makes the manifest readable for clients
	Withdraw(*Component)
	// the device has an active driver; the lookups of these components have not ended
	Chosen(d *Device, unfinished []*Component)
	Notify() // schedules a call of Changed
}

// Kind of a device.
type Kind uint8

// Kinds of devices.
const (
	Hardware Kind = iota
	Emulated
	Software // a pseudo-device, without hardware (FLS-050)
)

// Options are the settings of the configuration that affect the state.
type Options struct {
	AllowHardware, AllowEmulated, AllowSoftware bool

	SoftwareURL string // offered if no device has a driver
}

// ListedDriver is a driver that a device lists.
type ListedDriver struct {
	URL   string
	Flags uint32
}

// Vulkan is the flag of a driver for Vulkan; others are for other interfaces (FLS-055).
const Vulkan = 1

// Device is a graphics device.
type Device struct {
	Kind    Kind
	Node    string // the device's, as renderD128; "0" for software
	ICDs    []*ICD // best first
	Active  *Component
	Primary string // the node that only trusted clients see, as card0; "" without

	token *Token // while its drivers are queried
}

// ICD is an entry of a device's list; without the flag for Vulkan it has no component.
type ICD struct {
	ListedDriver
	Component *Component
}

// Name returns the device's name in the inspect tree (FLS-099, PRO-030).
func (d *Device) Name() string {
	return map[Kind]string{Hardware: "drm-", Emulated: "virt-", Software: "lavapipe-"}[d.Kind] + d.Node
}

// Component is the source of a driver: its URL, and the state of its lookup.
type Component struct {
	component.Report
	Number int // from 0, in the order of creation
	URL    string

	token     *Token // until it is ready or has failed
	failed    bool
	published bool
}

// Running reports whether its lookup is unfinished.
func (c *Component) Running() bool { return c.token != nil }

// Ready reports whether its library can be handed out.
func (c *Component) Ready() bool { return !c.failed && c.Status == component.Initialized }

// State is the state of the service.
type State struct {
	Devices    []*Device // in the order of addition
	Components []*Component
	Healthy    bool // some device has had an active driver (FLS-097)

	world   World
	options Options
	byURL   map[string]*Component
	tokens  map[*Token]string
	queued  bool // a notification is scheduled
	clients []*Client
	soft    bool // the software device was added
}

// New makes the state of a service that has just started.
func New(world World, options Options) *State {
	return &State{world: world, options: options, byURL: map[string]*Component{}, tokens: map[*Token]string{}}
}

// Start schedules the first notification.
func (s *State) Start() { s.notify() }

// Token represents a pending operation (FLS-037).
type Token struct{ state *State }

// Pend returns a token; owner is the operation's name in logs.
func (s *State) Pend(owner string) *Token {
	t := &Token{s}
	s.tokens[t] = owner
	return t
}

// Release returns a token and, if it was the last, schedules a notification (FLS-038). A second call does nothing.
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

// notify schedules a call of Changed; several notifications lead to one call.
func (s *State) notify() {
	if !s.queued {
		s.queued = true
		s.world.Notify()
	}
}

// Busy reports whether an operation or a notification is pending (FLS-039).
func (s *State) Busy() bool { return len(s.tokens) > 0 || s.queued }

// Owners returns the owners of all tokens, sorted.
func (s *State) Owners() []string { return slices.Sorted(maps.Values(s.tokens)) }

// Add adds a device and asks for its drivers.
func (s *State) Add(node, primary string) *Device {
	d := &Device{Node: node, Primary: primary}
	d.token = s.Pend("device " + node)
	s.Devices = append(s.Devices, d)
	s.world.Show(d) // before any manifest of it (FLS-031)
	s.world.Query(d)
	return d
}

// Listed sets the drivers of a device. A device whose query failed, or whose kind is not allowed, is dropped (FLS-058).
func (s *State) Listed(d *Device, kind Kind, entries []ListedDriver, err error) {
	if !slices.Contains(s.Devices, d) { // it was removed before the answer came
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

func (s *State) list(d *Device, entries []ListedDriver) {
	for _, e := range entries {
		icd := &ICD{ListedDriver: e}
		if e.Flags&Vulkan != 0 {
			icd.Component = s.component(e.URL)
		}
		d.ICDs = append(d.ICDs, icd)
	}
	if len(entries) > 0 {
		s.notify() // a present component may serve it
	}
}

// component returns the component of a URL, and creates it on first use. A URL has one component (FLS-061), also a
// failed one: only a restart of the service looks it up again.
func (s *State) component(url string) *Component {
	if c := s.byURL[url]; c != nil {
		return c
	}
	c := &Component{Number: len(s.Components), URL: url, Report: component.Report{Status: component.Uninitialized}}
	c.token = s.Pend("component " + strconv.Itoa(c.Number))
	s.Components = append(s.Components, c)
	s.byURL[url] = c
	s.world.Load(c)
	return c
}

// Remove removes a device (FLS-049).
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

// Find returns the device of a node, or nil.
func (s *State) Find(node string) *Device {
	for _, d := range s.Devices {
		if d.Kind != Software && d.Node == node {
			return d
		}
	}
	return nil
}

// Progress records the progress of a lookup.
func (s *State) Progress(c *Component, report component.Report) {
	if c.Running() {
		c.Report = report
	}
}

// Finished records the end of a lookup.
func (s *State) Finished(c *Component, report component.Report, err error) {
	if !c.Running() {
		return
	}
	c.Report, c.failed = report, err != nil
	token := c.token
	c.token = nil
	token.Release()
	s.notify() // even if other lookups are pending (FLS-041)
}

// Changed recomputes the state and answers waiting clients. The World calls it after Notify.
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
		case !wanted[c] && c.published:
			c.published = false
			s.world.Withdraw(c)
		}
	}
	if len(wanted) == 0 && len(s.tokens) == 0 {
		s.addSoftware() // clients then wait for it, too
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
	d := &Device{Kind: Software, Node: "0"}
	s.Devices = append(s.Devices, d)
	s.list(d, []ListedDriver{{s.options.SoftwareURL, Vulkan}})
}

// choose returns the first ready driver, if all drivers before it have failed (FLS-084).
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

// library returns the component of a published library by its name, or nil (FLS-016 to FLS-018).
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

// Counts returns the numbers of clients and of waiting requests, for an operator.
func (s *State) Counts() (clients, waiting int) {
	for _, c := range s.clients {
		waiting += len(c.gets) + len(c.idle)
	}
	return len(s.clients), waiting
}

// String lists the pending operations, for a log.
func (s *State) String() string {
	return fmt.Sprintf("%d devices, %d components, pending %v", len(s.Devices), len(s.Components), s.Owners())
}
