package server

import (
	"errors"
	"io"
	"log/slog"
	"net"
	"os"
	"sync"
	"time"

	"vkloader/internal/containers/offer"
	"vkloader/internal/containers/protocol"
	"vkloader/internal/containers/state"
)

// maxUnanswered limits the open requests of a connection; more end the connection. No real client needs so many.
const maxUnanswered = 256

// connection is one client. Its reader starts requests, and its writer sends replies in the order in which they are
// ready. Neither waits for another connection.
type connection struct {
	server  *Server
	conn    *protocol.Conn
	trusted bool
	peer    protocol.Peer
	person  person
	log     *slog.Logger
	client  *state.Client // only the state's goroutine uses it

	mu         sync.Mutex
	unanswered int
	used       time.Time // time of the last request or answer
	out        []answer
	closed     bool
	index      *offer.Index    // the last index that was sent
	own        map[any]ownFile // files made for this client alone
	wake       chan struct{}

	flying int  // descriptors sent and perhaps not read; the server's lock guards it
	gone   bool // its socket has ended; the server's lock guards it
}

// answer creates its content right before it is sent, so that an unread answer holds no descriptor.
type answer struct {
	id   uint64
	make func() (content, *protocol.Error)
}

// content is the data of a reply.
type content struct {
	ok    any
	names []string // of files
	files []*os.File
	first func() // called right before the content is sent; may be nil
}

func (s *Server) connect(socket *net.UnixConn, trusted bool) {
	// A small buffer limits the descriptors that are sent to a client that reads no answers. Answers are small.
	_ = socket.SetWriteBuffer(16 << 10)
	c := &connection{server: s, conn: protocol.On(socket), trusted: trusted, wake: make(chan struct{}, 1),
		used: time.Now(), own: map[any]ownFile{}}
	peer, err := c.conn.Peer()
	if err != nil {
		c.conn.Close()
		return
	}
	c.peer, c.person = peer, personOf(peer)
	c.log = slog.New(&quiet{s.log.Handler(), &s.lines, c.person}).With("client", peer.PID, "uid", peer.UID)
	if err := s.admit(c, peer); err != nil {
		c.log.Warn("refused", "why", err)
		c.conn.Close()
		return
	}
	c.log.Debug("connected", "trusted", trusted)
	s.do(func() { c.client = s.state.NewClient() }) // before all requests of this client
	s.workers.Go(c.write)
	s.workers.Go(c.read)
}

// read takes requests until the connection ends.
func (c *connection) read() {
	for {
		frame, err := c.receive()
		var r *protocol.Request
		if err == nil {
			r, err = protocol.ParseRequest(frame)
		}
		if err == nil {
			err = c.begin()
		}
		if err != nil {
			if !errors.Is(err, io.EOF) && !errors.Is(err, net.ErrClosed) {
				c.log.Info("connection ended", "why", err)
			}
			break
		}
		c.server.handle(c, r)
	}
	c.end()
}

// begin counts a new request, and returns an error if the client has too many unanswered ones.
func (c *connection) begin() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.used = time.Now()
	if c.unanswered++; c.unanswered > maxUnanswered {
		return errors.New("too many questions that were not answered yet")
	}
	return nil
}

// end closes the connection and drops its open requests, once.
func (c *connection) end() {
	c.mu.Lock()
	again, own := c.closed, c.own
	c.closed, c.out, c.index, c.own = true, nil, nil, nil
	c.mu.Unlock()
	if again {
		return
	}
	for _, f := range own {
		f.release()
	}
	c.server.hangUp(c)
	c.signal()
	c.server.leave(c)
	c.log.Debug("disconnected")
}

func (c *connection) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// reply queues an answer. It never waits.
func (c *connection) reply(id uint64, make func() (content, *protocol.Error)) {
	c.mu.Lock()
	if !c.closed {
		c.out = append(c.out, answer{id, make})
	}
	c.mu.Unlock()
	c.signal()
}

// write sends answers until the connection ends.
func (c *connection) write() {
	for range c.wake {
		for {
			c.mu.Lock()
			closed := c.closed
			var next answer
			if len(c.out) > 0 {
				next = c.out[0]
				c.out = c.out[1:]
			}
			c.mu.Unlock()
			if closed {
				return
			}
			if next.make == nil {
				break
			}
			if err := c.send(next); errors.Is(err, net.ErrClosed) {
				return // the reader has ended the connection
			} else if err != nil {
				c.log.Info("connection ended", "why", err)
				c.end()
				return
			}
		}
	}
}

func (c *connection) send(a answer) error {
	made, wrong := a.make()
	defer protocol.Discard(made.files)
	frame, err := protocol.Encode(a.id, made.ok, wrong, made.names...)
	if err != nil {
		return err
	}
	limit := c.server.options.SendLimit
	if limit == 0 {
		limit = 10 * time.Second
	}
	if len(made.files) > 0 {
		if err := c.server.mayFly(c, len(made.files), limit); err != nil {
			return err
		}
	}
	if made.first != nil {
		made.first()
	}
	c.mu.Lock()
	c.unanswered--
	c.used = time.Now()
	c.mu.Unlock()
	c.server.answered.Add(1)
	return c.conn.Send(frame, limit, made.files...)
}

// setIndex records the index behind the client's file numbers.
func (c *connection) setIndex(index *offer.Index) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if !c.closed {
		c.index = index
	}
}

func (c *connection) lastIndex() *offer.Index {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.index
}
