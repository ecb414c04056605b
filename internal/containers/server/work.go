package server

import (
	"context"

	"vkloader/internal/containers/component"
	"vkloader/internal/containers/devices"
	"vkloader/internal/containers/state"
	"vkloader/internal/containers/table"
)

// watch starts the sources of devices. Each holds a token until it has reported the present devices (FLS-037).
func (s *Server) watch(ctx context.Context) error {
	if d := s.options.Devices; d != nil && (s.options.State.AllowHardware || s.options.State.AllowEmulated) {
		var token *state.Token
		s.do(func() { token = s.state.Pend("source drm") })
		idle := func() { s.do(func() { token.Release() }) }
		s.workers.Go(func() {
			err := d.Run(ctx, sink{s, idle})
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
		s.workers.Go(func() { script.Run(ctx, sink{server: s}) })
	}
	return err
}

// sink reports the events of the sources to the state.
type sink struct {
	server *Server
	idle   func()
}

// Add implements devices.Sink.
func (k sink) Add(node, primary string, about table.Device) {
	s := k.server
	s.do(func() {
		if s.state.Find(node) == nil {
			s.about[node] = about
			s.state.Add(node, primary)
		}
	})
}

// Idle implements devices.Sink.
func (k sink) Idle() { k.idle() }

// Play implements devices.Player.
func (k sink) Play(node string) (answer func(state.Kind, table.DeviceEntry, error)) {
	s := k.server
	var d *state.Device
	s.do(func() {
		s.scripted[node] = true
		d = s.state.Add(node, "")
	})
	return func(kind state.Kind, a table.DeviceEntry, err error) {
		s.do(func() { s.setDrivers(d, kind, a, err) })
	}
}

// Remove implements devices.Sink and devices.Player.
func (k sink) Remove(node string) {
	s := k.server
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
		f, err := component.RunStep(context.Background(), s.options.Resolver.Step, func() (f found, err error) {
			f.answer, f.wrong = table.Lookup(s.options.Tables, about)
			return f, nil
		})
		kind := state.Hardware
		if f.answer.Emulated {
			kind = state.Emulated
		}
		s.do(func() {
			for _, wrong := range f.wrong {
				s.log.Error("a table of drivers is skipped", "why", wrong)
			}
			s.setDrivers(d, kind, f.answer, err)
		})
	})
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
