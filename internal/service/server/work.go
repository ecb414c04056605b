package server

import "vkloader/internal/service/state"

// Query implements state.World: a worker reads which drivers are for the device.
func (s *Server) Query(d *state.Device) {
	s.do(func() { s.state.Listed(d, state.Hardware, nil, nil) })
}

// Load implements state.World: a worker makes the driver out of its URL.
func (s *Server) Load(c *state.Component) {}
