package server

import (
	"errors"
	"io"
	"net"
	"os"

	"vkloader/internal/containers/border"
	"vkloader/internal/containers/component"
	"vkloader/internal/containers/protocol"
	"vkloader/internal/containers/sealed"
)

// noCopies is the reason why a client gets no library.
const noCopies = "this service can make no read-only mounts, and copies are for its own user alone: they take memory that " +
	"nobody can count"

// features returns the bits of the methods for this client (FLS-010).
func (s *Server) features(c *connection) uint64 {
	features := uint64(protocol.AllFeatures)
	if !s.options.OpenDevice || s.trees.of(c.trusted).Handed() != nil {
		features &^= protocol.FeatureOpenDevice
	}
	if s.trees.manifests.Handed() != nil {
		features &^= protocol.FeatureManifestFS
	}
	if s.trees.of(c.trusted).Handed() != nil {
		features &^= protocol.FeatureDeviceFS
	}
	return features
}

// library opens a library for one client: the shared file with a new descriptor, or a sealed copy for this client
// alone.
func (c *connection) library(held border.Held, size int64) (f *os.File, backing string, err error) {
	if held.Shared {
		f, err = sealed.Again(held.File)
		return f, held.Backing, err
	}
	if !c.mayHaveCopies() {
		return nil, "", errors.Join(border.ErrUnsupported, errors.New(noCopies))
	}
	f, err = c.ownFile(held.File, func() (*os.File, func(), error) {
		f, err := sealed.Code("library", io.NewSectionReader(held.File, 0, size))
		return f, func() { f.Close() }, err
	})
	return f, border.Sealed, err
}

// mayHaveCopies reports whether the client's person is the service's own user. A client keeps a copy's memory for as
// long as it wants, and the kernel does not charge the client for it.
func (c *connection) mayHaveCopies() bool { return int(c.peer.UID) == os.Geteuid() }

// ownFile opens this client's own memory file for a key, and creates the file at the first call. Other clients have
// other files, so a change of the mode affects no other client. release ends the service's use of the file, at the end
// of the connection. Only the writer calls ownFile.
func (c *connection) ownFile(key any, create func() (f *os.File, release func(), err error)) (*os.File, error) {
	c.mu.Lock()
	f := c.own[key]
	c.mu.Unlock()
	if f.File == nil {
		var err error
		if f.File, f.release, err = create(); err != nil {
			return nil, err
		}
		c.mu.Lock()
		if c.closed {
			c.mu.Unlock()
			f.release()
			return nil, net.ErrClosed
		}
		c.own[key] = f
		c.mu.Unlock()
	}
	return sealed.Again(f.File)
}

// ownFile is a memory file for one connection.
type ownFile struct {
	*os.File
	release func()
}

// text creates a file with a text for this client, counted for its person.
func (c *connection) text(name string, text []byte) (*os.File, func(), error) {
	f, release, err := c.server.copies.make(c.person, c.server.options.MaxCopies, name, text)
	if err != nil {
		c.log.Warn("no text can be handed out", "name", name, "why", err)
	}
	return f, release, err
}

// share makes a package's library available to all clients: as a copy in a read-only file system, or, if the kernel
// forbids copies, as the package's own file on a read-only mount.
func (s *Server) share(l *component.Library) {
	kind, backing := border.Copy, border.Memory
	if l.Backing == border.Clone {
		kind, backing = border.Library, border.Clone
	}
	opened, err := s.options.Border.Open(kind, l.File)
	if err != nil {
		s.logCopies(err)
		return
	}
	l.File.Close()
	l.Held = border.Held{File: opened[0], Shared: true, Backing: backing}
}

// logCopies logs once why the service can only hand out copies.
func (s *Server) logCopies(why error) {
	s.closedOnce.Do(func() {
		s.log.Warn(
			"no file is handed out itself, no directory and no device: only copies of libraries, to this service's own user",
			"why", why)
	})
}
