package guard

import (
	"context"
	"net"
	"sync"
)

// MaxConnections is the maximum number of simultaneous connections.
const MaxConnections = 128

// Connections is a listener with a limit. At the limit, a new connection replaces the oldest one without the secret, so that
// strangers can neither fill the memory nor exclude the user.
type Connections struct {
	net.Listener

	lock sync.Mutex
	open []*connection // oldest first
}

// connection is an accepted connection.
type connection struct {
	net.Conn
	of    *Connections
	known bool // it has shown the secret
}

// Accept waits for the next connection.
func (c *Connections) Accept() (net.Conn, error) {
	conn, err := c.Listener.Accept()
	if err != nil {
		return nil, err
	}
	made := &connection{Conn: conn, of: c}
	c.lock.Lock()
	var out *connection
	if len(c.open) >= MaxConnections {
		out = made // all others are known
		for _, o := range c.open {
			if !o.known {
				out = o
				break
			}
		}
	}
	c.open = append(c.open, made)
	c.lock.Unlock()
	if out != nil {
		out.Close()
	}
	return made, nil
}

// Close closes the connection and removes it from the list.
func (c *connection) Close() error {
	c.of.lock.Lock()
	for i, o := range c.of.open {
		if o == c {
			c.of.open = append(c.of.open[:i], c.of.open[i+1:]...)
			break
		}
	}
	c.of.lock.Unlock()
	return c.Conn.Close()
}

// connectionKey is the context key of a request's connection.
type connectionKey struct{}

// Context records a request's connection in its context, for http.Server.
func (c *Connections) Context(ctx context.Context, conn net.Conn) context.Context {
	return context.WithValue(ctx, connectionKey{}, conn)
}

// known records that a request's connection has shown the secret.
func known(ctx context.Context) {
	if c, is := ctx.Value(connectionKey{}).(*connection); is {
		c.of.lock.Lock()
		c.known = true
		c.of.lock.Unlock()
	}
}
