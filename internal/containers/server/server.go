package server

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"vkloader/internal/containers/border"
	"vkloader/internal/containers/component"
	"vkloader/internal/containers/devices"
	"vkloader/internal/containers/offer"
	"vkloader/internal/containers/state"
	"vkloader/internal/containers/table"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/workers"
)

// Options are the parts and limits of a service; 0 stands for the default of a limit.
type Options struct {
	Log       *slog.Logger
	Directory string // of the socket; a container may get all of it; created if it does not exist
	Private   string // of all else: the lock, the trusted socket, what clients get descriptors of; "": PrivateDirectory
	Sockets   Sockets
	State     state.Options
	Source    *machine.Source // the machine whose drivers are offered

	Border border.Border // opens files for clients

	OpenDevice bool // open device nodes for clients, also nodes that the client's sandbox lacks

	Devices    *devices.DRM        // nil: no device of the machine is watched
	Tables     []string            // directories with tables of drivers
	Resolver   *component.Resolver // finds the drivers that tables name
	TestSource string              // socket for a test's devices; "": none
	Dump       <-chan os.Signal    // each signal writes the inspect tree into the private directory; may be nil

	MaxConnections int
	MaxPerUser     int           // connections
	MaxUnderWay    int           // descriptors that a user's clients have not read
	MaxCopies      int64         // memory in bytes of indexes and inspect trees that a user's clients keep
	MaxFlying      int           // descriptors that all users' clients have not read
	IdleGrace      time.Duration // after this time, an idle client may have to make room
	IdleLimit      time.Duration // after this time, an idle client is closed
	CountAgain     time.Duration // between two counts of a user's unread descriptors; 0: 10 ms
	SendLimit      time.Duration // after this time, a client that reads no answer is closed; 0: 10 s
}

// maxConnections is the default of the limit on all clients together.
const maxConnections = 4096

// Server is a running service.
type Server struct {
	options Options
	log     *slog.Logger
	loop    *loop
	state   *state.State // the loop's goroutine alone uses it
	offers  *offer.Offers
	joined  offer.Joined
	places  *places
	trees   *trees
	started time.Time

	context context.Context // canceled at the end of the service
	// Only the loop's goroutine uses these. The keys are device nodes.
	about    map[string]table.Device
	scripted map[string]bool // devices of a test's script

	closedOnce sync.Once // logs the reason for copies once

	answered atomic.Uint64
	refused  atomic.Uint64
	workers  workers.Group

	mu          sync.Mutex
	connections map[*connection]bool
	flying      underWay
	copies      copies // has its own lock
	lines       lines
	ending      bool
}

// Run serves until the context ends, and then removes its sockets and directories (PRO-046). It returns an error if the
// start fails.
func Run(ctx context.Context, options Options) error {
	s := &Server{options: options, log: options.Log, loop: &loop{signal: make(chan struct{}, 1)}, started: time.Now(),
		connections: map[*connection]bool{}, flying: underWay{users: map[person]int{}, counted: map[person]time.Time{}},
		offers: &offer.Offers{Source: options.Source, Fresh: time.Second}}
	s.offers.Later, s.offers.Border, s.offers.Closed = s.workers.Go, &s.options.Border, s.logCopies
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	s.context = ctx
	s.about, s.scripted = map[string]table.Device{}, map[string]bool{}
	if s.options.Resolver == nil {
		s.options.Resolver = &component.Resolver{Log: s.log}
	}
	s.state = state.New(s, options.State)
	var err error
	if s.places, err = s.occupy(); err != nil {
		return err
	}
	defer s.places.leave()
	listeners, release, err := s.listen(s.places)
	if err != nil {
		return err
	}
	defer release()
	if s.trees, err = makeTrees(s.places.private, &s.options.Border); err != nil {
		return fmt.Errorf("the directories that clients see: %w", err)
	}
	defer s.trees.close()
	defer s.copies.close()
	if err := s.trees.manifests.Handed(); err != nil {
		s.logCopies(err)
	}
	stop := make(chan struct{})
	ended := make(chan struct{})
	go func() {
		s.loop.run(stop)
		close(ended)
	}()
	// Before any client, so that no client sees an empty list of pending work.
	err = s.watch(ctx)
	s.do(s.state.Start)
	if err == nil {
		for _, l := range listeners {
			s.workers.Go(func() { s.acceptClients(l) })
		}
		s.log.Info("serving", "directory", options.Directory)
		if options.Sockets.Ready != nil {
			options.Sockets.Ready()
		}
		s.workers.Go(func() { s.dump(ctx) })
		<-ctx.Done()
		s.log.Info("ending")
	}
	cancel()
	s.end(listeners)
	close(stop)
	<-ended
	return err
}

// end stops accepting, drops every client, and waits up to two seconds for the workers.
func (s *Server) end(listeners []listener) {
	for _, l := range listeners {
		l.Close()
	}
	s.mu.Lock()
	s.ending = true
	var open []*connection
	for c := range s.connections {
		open = append(open, c)
	}
	for _, c := range s.flying.left {
		c.conn.Close()
	}
	s.flying.left = nil
	s.mu.Unlock()
	for _, c := range open {
		c.end()
	}
	done := make(chan struct{})
	go func() {
		s.workers.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(2 * time.Second):
		s.log.Warn("a worker did not finish in time")
	}
}

// acceptClients accepts clients until the listener is closed.
func (s *Server) acceptClients(l listener) {
	for {
		socket, err := l.AcceptUnix()
		switch {
		case errors.Is(err, net.ErrClosed):
			return
		case err != nil: // such as too many open files: the service tries again
			s.log.Error("a client cannot be accepted", "why", err)
			time.Sleep(100 * time.Millisecond)
		default:
			s.connect(socket, l.trusted)
		}
	}
}

// leave removes a client.
func (s *Server) leave(c *connection) {
	s.mu.Lock()
	delete(s.connections, c)
	s.mu.Unlock()
	s.do(func() {
		if c.client != nil {
			c.client.Drop()
		}
	})
}

// do queues a function for the state's goroutine.
func (s *Server) do(f func()) { s.loop.post(f) }

// Notify implements state.World.
func (s *Server) Notify() { s.do(s.state.Changed) }

// Show implements state.World.
func (s *Server) Show(d *state.Device) {
	s.complain("device "+d.Node, s.trees.devices.Link(class+"/"+d.Node, "/dev/dri/"+d.Node),
		s.trees.trusted.Link(class+"/"+d.Node, "/dev/dri/"+d.Node))
	if d.Primary != "" {
		s.complain("device "+d.Primary, s.trees.trusted.Link(class+"/"+d.Primary, "/dev/dri/"+d.Primary))
	}
}

// Hide implements state.World.
func (s *Server) Hide(d *state.Device) {
	s.complain("device "+d.Node, s.trees.devices.Remove(class+"/"+d.Node), s.trees.trusted.Remove(class+"/"+d.Node))
	if d.Primary != "" {
		s.complain("device "+d.Primary, s.trees.trusted.Remove(class+"/"+d.Primary))
	}
}

// Publish implements state.World.
func (s *Server) Publish(c *state.Component) {
	s.complain("manifest of "+c.URL, s.trees.manifests.Write(manifestName(c), []byte(c.Manifest)))
}

// Withdraw implements state.World.
func (s *Server) Withdraw(c *state.Component) {
	s.complain("manifest of "+c.URL, s.trees.manifests.Remove(manifestName(c)))
}

// manifestName returns the name of a manifest for clients (FLS-088).
func manifestName(c *state.Component) string { return c.LibraryPath + ".json" }

// Chosen implements state.World.
func (s *Server) Chosen(d *state.Device, unfinished []*state.Component) {
	s.log.Info("driver chosen", "device", d.Name(), "component", d.Active.URL, "number", d.Active.Number)
	for _, c := range unfinished { // FLS-086
		s.log.Info("a driver that is listed as well is not ready, which is normal", "device", d.Name(), "component",
			c.URL,
			"status", c.Status)
	}
}

// complain logs errors that the service does not expect.
func (s *Server) complain(what string, errs ...error) {
	if err := errors.Join(slices.Clone(errs)...); err != nil {
		s.log.Error(what, "why", err)
	}
}
