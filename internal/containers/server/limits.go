package server

import (
	"cmp"
	"errors"
	"net"
	"slices"
	"time"

	"golang.org/x/sys/unix"

	"vkloader/internal/containers/protocol"
)

// Limits of one person's clients, so that other persons can use the service, and of all clients together.
const (
	maxPerUser  = 1024            // connections of a person
	reserved    = 64              // connections for the administrator and the service's own user only
	maxUnderWay = 256             // descriptors that were sent to a person's clients and not read yet
	maxFlying   = 4096            // the same of all persons together, because a user can have many subordinate users
	idleGrace   = time.Second     // an idle client may have to make room for another one after this
	idleLimit   = 5 * time.Minute // an idle client is closed after this

	// counting asks the kernel about each connection, so there is at most one count of a person in this time
	countAgain = 10 * time.Millisecond
)

// admit accepts a client. If its user has too many, or all users together, the connection that was idle longest is
// closed.
func (s *Server) admit(c *connection, peer protocol.Peer) error {
	if c.trusted && !mayTrust(peer) {
		s.refused.Add(1)
		return errors.New("it is neither root nor the service's own user")
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	same := 0
	for other := range s.connections {
		if other.person == c.person {
			same++
		}
	}
	own := same >= cmp.Or(s.options.MaxPerUser, maxPerUser)
	most := cmp.Or(s.options.MaxConnections, maxConnections)
	if c.person.here {
		most += reserved
	}
	full := len(s.connections) >= most
	if s.ending || (own || full) && !s.makeRoom(c.person, own) {
		s.refused.Add(1)
		return errors.New("there are too many clients")
	}
	s.connections[c] = true
	return nil
}

// makeRoom closes the client that was idle longest, of a person or of all. The caller holds the lock.
func (s *Server) makeRoom(of person, own bool) bool {
	var longest *connection
	since := time.Now().Add(-cmp.Or(s.options.IdleGrace, idleGrace))
	for c := range s.connections {
		if own && c.person != of {
			continue
		}
		if idle, at := c.idle(); idle && at.Before(since) {
			longest, since = c, at
		}
	}
	if longest == nil {
		return false
	}
	delete(s.connections, longest)
	s.workers.Go(longest.end)
	return true
}

// idle reports whether the client has no open request, and returns the time of its last request or answer.
func (c *connection) idle() (bool, time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unanswered == 0, c.used
}

// receive waits for the next request. It returns an error for a client that is idle for too long.
func (c *connection) receive() ([]byte, error) {
	limit := cmp.Or(c.server.options.IdleLimit, idleLimit)
	for {
		frame, files, err := c.conn.ReceiveWithin(limit)
		protocol.Discard(files) // no method takes any
		if !protocol.IsLate(err) {
			return frame, err
		}
		if idle, at := c.idle(); idle && time.Since(at) >= limit {
			return nil, errors.New("it was idle for too long")
		}
	}
}

// underWay counts, for each user, the descriptors that were sent to its clients and perhaps not read. A connection that
// has ended with unread descriptors is counted until these are gone.
type underWay struct {
	users   map[person]int
	counted map[person]time.Time // the time of a person's last count
	all     int
	allAt   time.Time // likewise, of all
	left    []*connection
}

// mayFly waits until the limits of the client's person and of all clients allow more descriptors.
func (s *Server) mayFly(c *connection, count int, limit time.Duration) error {
	for end := time.Now().Add(limit); ; {
		err := s.fly(c, count)
		if err == nil || errors.Is(err, net.ErrClosed) || time.Now().After(end) {
			return err
		}
		select {
		case <-s.context.Done():
			return s.context.Err()
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// flyingLimit returns the limit of descriptors under way, at most half of this process's limit of open files.
func (s *Server) flyingLimit() int {
	most := cmp.Or(s.options.MaxFlying, maxFlying)
	var limit unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &limit) == nil && limit.Cur/2 < uint64(most) {
		most = int(limit.Cur / 2)
	}
	return most
}

// fly counts descriptors that are about to be sent. The administrator and the service's own user need not wait for
// others.
func (s *Server) fly(c *connection, count int) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if c.gone { // the connection's descriptors would stay in the count
		return net.ErrClosed
	}
	own := func() bool { return s.flying.users[c.person]+count > cmp.Or(s.options.MaxUnderWay, maxUnderWay) }
	all := func() bool {
		return !c.person.here && s.flying.all+count > s.flyingLimit()
	}
	if own() || all() {
		s.land(c.person, all())
	}
	switch {
	case own():
		return errors.New("its user leaves too many descriptors unread")
	case all():
		return errors.New("all users together leave too many descriptors unread")
	}
	s.flying.users[c.person] += count
	s.flying.all += count
	c.flying += count
	return nil
}

// land counts the unread descriptors of a person, or of all clients, again, unless there was a count a moment ago. The
// caller holds the lock.
func (s *Server) land(of person, all bool) {
	last, now := s.flying.counted[of], time.Now()
	if all {
		last = s.flying.allAt
	}
	if now.Sub(last) < cmp.Or(s.options.CountAgain, countAgain) {
		return
	}
	if all {
		s.flying.allAt = now
	} else {
		s.flying.counted[of] = now
	}
	for c := range s.connections {
		if all || c.person == of {
			s.hasLanded(c)
		}
	}
	s.sweep()
}

// hasLanded subtracts a client's descriptors from the count once the client has read all of them.
func (s *Server) hasLanded(c *connection) bool {
	if c.flying > 0 && c.conn.Unread() {
		return false
	}
	s.flying.all -= c.flying
	if s.flying.users[c.person] -= c.flying; s.flying.users[c.person] <= 0 {
		delete(s.flying.users, c.person)
		delete(s.flying.counted, c.person)
	}
	c.flying = 0
	return true
}

// sweep closes ended connections without unread descriptors. The caller holds the lock.
func (s *Server) sweep() {
	s.flying.left = slices.DeleteFunc(s.flying.left, func(c *connection) bool {
		if !s.hasLanded(c) {
			return false
		}
		c.conn.Close()
		return true
	})
}

// hangUp closes a connection's socket: at once, or if it has unread descriptors, when the client has read them.
func (s *Server) hangUp(c *connection) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sweep()
	c.gone = true
	if !s.ending && !s.hasLanded(c) {
		c.conn.Shut()
		s.flying.left = append(s.flying.left, c)
		return
	}
	c.conn.Close()
}
