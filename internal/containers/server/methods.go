package server

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path"
	"strings"

	"vkloader/internal/containers/border"
	"vkloader/internal/containers/offer"
	"vkloader/internal/containers/protocol"
	"vkloader/internal/containers/sealed"
	"vkloader/internal/containers/state"
)

// handle starts a request; it never waits for the result (PRO-003).
func (s *Server) handle(c *connection, r *protocol.Request) {
	id := *r.ID
	now := func(ok any) {
		c.reply(id, func() (content, *protocol.Error) { return content{ok: ok}, nil })
	}
	fail := func(err *protocol.Error) {
		c.reply(id, func() (content, *protocol.Error) { return content{}, err })
	}
	switch r.Method {
	case protocol.Features:
		now(map[string]uint64{"features": s.features(c)})
	case protocol.Get:
		s.do(func() { s.get(c, id, *r.Name) })
	case protocol.ManifestFS:
		open := func() { c.reply(id, directoryOf(s.trees.manifests)) }
		if r.Options&protocol.WaitForIdle == 0 {
			open()
		} else {
			s.do(func() { c.client.WhenIdle(open) })
		}
	case protocol.DeviceFS:
		c.reply(id, directoryOf(s.trees.of(c.trusted)))
	case protocol.ExecGrant:
		switch {
		case !s.options.State.AllowSoftware:
			c.log.Error("a client wants to make code in memory, and no software driver is allowed") // FLS-034
			fail(protocol.ErrSoftwareNotAllowed)
		case !execAllowed():
			c.log.Warn("the kernel forbids code in files of memory")
			fail(protocol.ErrNoExecGrant)
		default:
			now(struct{}{})
		}
	case protocol.OpenDevice:
		if !s.options.OpenDevice {
			fail(protocol.ErrUnsupported)
			return
		}
		c.reply(id, func() (content, *protocol.Error) { return s.openDevice(c, *r.Path) })
	case protocol.Inspect:
		s.do(func() { s.inspect(c, id) })
	case protocol.MachineDrivers:
		of, known := offer.Machine(*r.Machine)
		if !known {
			fail(protocol.ErrInvalidArguments)
			return
		}
		s.do(func() {
			c.client.WhenIdle(func() {
				packages := s.packages()
				s.workers.Go(func() { s.machineDrivers(c, id, of.Name, packages) })
			})
		})
	case protocol.OpenFile:
		index := c.lastIndex()
		if index == nil || *r.File < 0 || *r.File >= len(index.Files) {
			fail(protocol.ErrInvalidArguments)
			return
		}
		c.reply(id, func() (content, *protocol.Error) { return openFile(c, index, *r.File) })
	}
}

// get looks up a library; the state's goroutine calls it.
func (s *Server) get(c *connection, id uint64, name string) {
	c.client.Get(name, func(found *state.Component) {
		if found == nil || found.Library == nil {
			c.reply(id, func() (content, *protocol.Error) { return content{ok: map[string]any{"lib": nil}}, nil })
			return
		}
		library := found.Library
		c.reply(id, func() (content, *protocol.Error) {
			f, backing, err := c.library(library.Held, library.Size)
			if errors.Is(err, border.ErrUnsupported) {
				return content{}, protocol.ErrUnsupported
			}
			if err != nil { // reported as a missing library (FLS-025)
				c.log.Warn("a library cannot be opened again", "name", name, "why", err)
				return content{ok: map[string]any{"lib": nil}}, nil
			}
			return content{ok: map[string]any{"lib": 0, "size": library.Size, "backing": backing},
				names: []string{"lib"}, files: []*os.File{f}}, nil
		})
	})
}

// packages returns the active drivers of packages; the state's goroutine calls it.
func (s *Server) packages() (list []offer.Package) {
	for _, c := range s.state.Components {
		p := offer.Package{Name: manifestName(c), URL: c.URL, Manifest: c.Manifest}
		active := false
		for _, d := range s.state.Devices {
			if d.Active != c {
				continue
			}
			active = true
			if d.Kind != state.Software && !s.scripted[d.Node] {
				p.Devices = append(p.Devices, "/dev/dri/"+d.Node)
			}
		}
		if active && c.Library != nil {
			_, p.Soname, _ = strings.Cut(c.LibraryPath, "-")
			p.Library, p.Size = c.Library.Held, c.Library.Size
			list = append(list, p)
		}
	}
	return list
}

// machineDrivers searches the machine, on a worker, and adds the drivers of packages.
func (s *Server) machineDrivers(c *connection, id uint64, name string, packages []offer.Package) {
	index, err := s.offers.Find(name)
	if err == nil {
		index, err = s.joined.Find(index, name, packages)
	}
	if err != nil {
		s.log.Error("the machine's drivers cannot be found out", "machine", name, "why", err)
		c.reply(id, func() (content, *protocol.Error) { return content{}, protocol.ErrInternal })
		return
	}
	if !index.Shared() && !c.mayHaveCopies() {
		c.log.Warn("the drivers are not offered to this client", "why", noCopies)
		c.reply(id, func() (content, *protocol.Error) { return content{}, protocol.ErrUnsupported })
		return
	}
	c.reply(id, func() (content, *protocol.Error) {
		f, err := c.ownFile(index, func() (*os.File, func(), error) { return c.text("vulkan-drivers", index.Text()) })
		if err != nil {
			return content{}, protocol.ErrorOf(err)
		}
		return content{ok: map[string]any{"index": map[string]int{"size": len(index.Text())}}, names: []string{"index"},
			files: []*os.File{f}, first: func() { c.setIndex(index) }}, nil
	})
}

func openFile(c *connection, index *offer.Index, number int) (content, *protocol.Error) {
	held, err := index.File(number)
	if err != nil {
		return content{}, protocol.ErrorOf(err)
	}
	size := index.Files[number].Size
	f, backing, err := c.library(held, size)
	if err != nil {
		c.log.Warn("a file cannot be handed out", "name", index.Files[number].Name, "why", err)
		return content{}, protocol.ErrorOf(err)
	}
	return content{ok: map[string]any{"size": size, "backing": backing}, names: []string{"file"}, files: []*os.File{f}},
		nil
}

// openDevice opens a node that is in the client's tree (PRO-039).
func (s *Server) openDevice(c *connection, name string) (content, *protocol.Error) {
	if name == "" || path.IsAbs(name) || path.Clean(name) != name || name == ".." || strings.HasPrefix(name, "../") {
		return content{}, protocol.ErrInvalidArguments
	}
	target, there := s.trees.of(c.trusted).Has(name)
	if !there || target == "" {
		return content{}, protocol.ErrNotFound
	}
	f, err := openNode(target, &s.options.Border, func(node *os.File) error {
		may, err := mayOpen(c.peer, node)
		if err == nil && !may {
			err = fs.ErrPermission
		}
		return err
	})
	if err != nil {
		c.log.Info("a device cannot be opened", "path", name, "why", err)
		return content{}, protocol.ErrorOf(err)
	}
	return content{ok: struct{}{}, names: []string{"device"}, files: []*os.File{f}}, nil
}

// inspect encodes the tree; the state's goroutine calls it.
func (s *Server) inspect(c *connection, id uint64) {
	text, err := json.Marshal(s.tree())
	c.reply(id, func() (content, *protocol.Error) {
		if err != nil {
			return content{}, protocol.ErrInternal
		}
		data, release, err := c.text("inspect", text)
		if err != nil {
			return content{}, protocol.ErrorOf(err)
		}
		defer release()
		f, err := sealed.Again(data)
		if err != nil {
			return content{}, protocol.ErrorOf(err)
		}
		return content{ok: map[string]any{"size": len(text)}, names: []string{"inspect"}, files: []*os.File{f}}, nil
	})
}
