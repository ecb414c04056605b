package state

import "slices"

// Client holds the unanswered requests of one connection. Dropping it affects no other client (FLS-015).
type Client struct {
	state *State
	gets  []get
	idle  []func()
}

type get struct {
	name   string
	answer func(*Component)
}

// NewClient makes the queue of a connection.
func (s *State) NewClient() *Client {
	c := &Client{state: s}
	s.clients = append(s.clients, c)
	return c
}

// Drop discards the client's unanswered requests.
func (c *Client) Drop() {
	if at := slices.Index(c.state.clients, c); at >= 0 {
		c.state.clients = slices.Delete(c.state.clients, at, at+1)
	}
	c.gets, c.idle = nil, nil
}

// Get answers with the component whose library has this name. It answers nil when no pending lookup can provide the
// library (FLS-019 to FLS-021).
func (c *Client) Get(name string, answer func(*Component)) {
	if g := (get{name, answer}); !c.try(g) {
		c.gets = append(c.gets, g)
	}
}

func (c *Client) try(g get) bool {
	found := c.state.library(g.name)
	if found == nil && c.state.Busy() {
		return false
	}
	g.answer(found)
	return true
}

// WhenIdle answers once nothing is pending (FLS-028, FLS-029).
func (c *Client) WhenIdle(answer func()) {
	if c.state.Busy() {
		c.idle = append(c.idle, answer)
		return
	}
	answer()
}

// retry answers the requests that can be answered now.
func (c *Client) retry() {
	gets := c.gets
	c.gets = nil
	for _, g := range gets {
		if !c.try(g) {
			c.gets = append(c.gets, g)
		}
	}
	if c.state.Busy() {
		return
	}
	idle := c.idle
	c.idle = nil
	for _, answer := range idle {
		answer()
	}
}
