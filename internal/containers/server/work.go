package server

import (
	"context"
	"errors"
	"time"

	"vkloader/internal/containers/component"
	"vkloader/internal/containers/devices"
	"vkloader/internal/containers/state"
	"vkloader/internal/containers/table"
)

// errSlow is the error for a device whose drivers were not found in time.
var errSlow = errors.New("its drivers could not be found out in time")

// watch starts the sources of devices. Each holds a token until it has reported the present devices (FLS-037).
func (s *Server) watch(ctx context.Context) error {
	if d := s.options.Devices; d != nil && (s.options.State.AllowHardware || s.options.State.AllowEmulated) {
		var token *state.Token
		s.do(func() { token = s.state.Pend("source drm") })
		sink := &sink{server: s, idle: func() { s.do(func() { token.Release() }) }}
		s.workers.Go(func() {
			err := d.Run(ctx, sink)
			if err == nil || ctx.Err() != nil {
				return
			}
			s.log.Warn("devices are not watched: what comes and goes is not noticed", "why", err)
		})
	}
	if s.options.TestSource == "" {
		return nil
	}
	script, err := devices.NewScript(s.options.TestSource)
	if err == nil {
		s.workers.Go(func() { script.Run(ctx, player{s}) })
	}
	return err
}

// sink reports the events of a source to the state.
type sink struct {
	server *Server
	idle   func()
}

// Add implements devices.Sink.
func (k *sink) Add(node, primary string, about table.Device) {
	s := k.server
	s.do(func() {
		if s.state.Find(node) == nil {
			s.about[node] = about
			s.state.Add(node, primary)
		}
	})
}

// Remove implements devices.Sink.
func (k *sink) Remove(node string) { player{k.server}.Remove(node) }

// Idle implements devices.Sink.
func (k *sink) Idle() { k.idle() }

// player reports the events of a test's devices to the state.
type player struct{ server *Server }

// Play implements devices.Player.
func (p player) Play(node string) (answer func(state.Kind, table.DeviceEntry, error)) {
	s := p.server
	var d *state.Device
	s.do(func() {
		s.scripted[node] = true
		d = s.state.Add(node, "")
	})
	return func(kind state.Kind, a table.DeviceEntry, err error) {
		s.do(func() { s.setDrivers(d, kind, a, err) })
	}
}

// Remove implements devices.Player.
func (p player) Remove(node string) {
	s := p.server
	s.do(func() {
		if d := s.state.Find(node); d != nil {
			s.log.Info("device gone", "device", d.Name())
			s.state.Remove(d)
		}
		delete(s.about, node)
		delete(s.scripted, node)
	})
}

// setDrivers passes the drivers of a device to the state.
func (s *Server) setDrivers(d *state.Device, kind state.Kind, a table.DeviceEntry, err error) {
	for _, wrong := range a.Wrong {
		s.log.Error("a driver that is listed does not count", "device", d.Node, "why", wrong)
	}
	if err != nil {
		s.log.Error("the device is left out", "device", d.Node, "why", err)
	}
	s.state.Listed(d, kind, a.Entries, err)
}

// Query implements state.World: a worker looks up the device's drivers.
func (s *Server) Query(d *state.Device) {
	if s.scripted[d.Node] {
		return
	}
	about := s.about[d.Node]
	s.log.Info("device", "device", d.Node, "module", about.Module)
	type found struct {
		answer table.DeviceEntry
		wrong  []string
	}
	s.workers.Go(func() {
		done := make(chan found, 1)
		go func() {
			answer, wrong := table.Lookup(s.options.Tables, about)
			done <- found{answer, wrong}
		}()
		select {
		case f := <-done:
			kind := state.Hardware
			if f.answer.Emulated {
				kind = state.Emulated
			}
			s.do(func() {
				for _, wrong := range f.wrong {
					s.log.Error("a table of drivers is skipped", "why", wrong)
				}
				s.setDrivers(d, kind, f.answer, nil)
			})
		case <-after(s.step()):
			s.do(func() { s.setDrivers(d, state.Hardware, table.DeviceEntry{}, errSlow) })
		}
	})
}

// step returns the time limit for one step of a worker.
func (s *Server) step() time.Duration {
	if s.options.Resolver == nil {
		return 0
	}
	return s.options.Resolver.Step
}

// after is time.After, but 0 means never.
func after(d time.Duration) <-chan time.Time {
	if d == 0 {
		return nil
	}
	return time.After(d)
}

// Load implements state.World: a worker loads the driver's package.
func (s *Server) Load(c *state.Component) {
	url, number := c.URL, c.Number
	s.workers.Go(func() {
		report, err := s.options.Resolver.Lookup(s.context, url, number, func(r component.Report) {
			s.do(func() { s.state.Progress(c, r) })
		})
		if err != nil {
			s.log.Error("a driver's component cannot be used", "component", url, "number", number, "status",
				report.Status, "why", err)
		}
		if err == nil {
			s.share(report.Library)
		}
		s.do(func() { s.state.Finished(c, report, err) })
	})
}
