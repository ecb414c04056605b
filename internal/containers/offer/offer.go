package offer

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"sync"
	"time"

	"vkloader/internal/containers/border"
	"vkloader/internal/decide/machine"
)

// Index is the offer of a machine at one time. It keeps its files open, so they stay the same even if their names get
// other files.
type Index struct {
	Document
	LeftOut []LeftOut

	text   []byte
	files  []border.Held
	stamps map[string]stamp // of the index's sources, by path
}

// Text returns the document as clients read it.
func (x *Index) Text() []byte { return x.text }

// File returns one of the files, which stays open as long as the index is offered.
func (x *Index) File(number int) (border.Held, error) {
	if number < 0 || number >= len(x.files) {
		return border.Held{}, os.ErrInvalid
	}
	return x.files[number], nil
}

// Shared reports whether all clients may get the same files; otherwise each needs copies.
func (x *Index) Shared() bool {
	return !slices.ContainsFunc(x.files, func(f border.Held) bool { return !f.Shared })
}

// share opens the files again on read-only mounts if the border can make them. Of the other files, clients get only
// copies.
func (x *Index) share(through *border.Border) error {
	var own []*os.File
	for _, f := range x.files {
		own = append(own, f.File)
	}
	opened, err := through.Open(border.Library, own...)
	for i, f := range opened {
		if f != nil {
			own[i].Close()
			x.files[i] = border.Held{File: f, Shared: true, Backing: border.Clone}
		}
	}
	return err
}

// same reports whether a later index has the same document and the same files.
func (x *Index) same(later *Index) bool {
	if !bytes.Equal(x.text, later.text) || len(x.files) != len(later.files) {
		return false
	}
	for i := range x.files {
		a, err := x.files[i].Stat()
		b, wrong := later.files[i].Stat()
		if err != nil || wrong != nil || !os.SameFile(a, b) || a.Size() != b.Size() || !a.ModTime().Equal(b.ModTime()) {
			return false
		}
	}
	return true
}

func (x *Index) close() {
	for _, f := range x.files {
		f.Close()
	}
}

// Find searches the machine now. The name is one that Machine returns.
func Find(source *machine.Source, name string) (*Index, error) {
	g, err := Gather(source, name)
	if err != nil {
		return nil, err
	}
	x := &Index{Document: g.Document, LeftOut: g.LeftOut}
	x.watch(source, g)
	if err := x.open(source, g.Paths); err != nil {
		x.close()
		return nil, err
	}
	return x, nil
}

func (x *Index) open(source *machine.Source, paths []string) error {
	for i, name := range paths {
		f, err := source.Open(name)
		if err != nil {
			return err
		}
		x.files = append(x.files, border.Held{File: f})
		info, err := f.Stat()
		if err != nil {
			return err
		}
		x.Files[i].Size = info.Size()
	}
	return x.seal()
}

// seal encodes the document.
func (x *Index) seal() (err error) {
	x.text, err = json.Marshal(x.Document)
	return err
}

// Offers searches machines for drivers, and caches the last index of each machine.
type Offers struct {
	Source *machine.Source
	Fresh  time.Duration // age up to which an index is used without another search
	Later  func(func())  // runs a search in the background
	Border *border.Border
	Closed func(error) // called with the reason if the files cannot be offered on read-only mounts; may be nil

	mu   sync.Mutex
	last map[string]*look
}

// look is one search. Its callers wait for done.
type look struct {
	began time.Time
	done  chan struct{}
	index *Index

	stamps    map[string]stamp // of the index's sources
	followed  bool             // a later search in the background has started
	meanwhile *Index           // the answer until a background search has ended; nil: callers wait
	err       error
}

// Find returns the offer of a machine. Callers during the first search wait for it. If the sources seem unchanged since
// the last search, Find returns its index at once and searches again in the background, for later callers.
func (o *Offers) Find(name string) (*Index, error) {
	o.mu.Lock()
	before := o.last[name]
	if before != nil {
		select {
		case <-before.done:
			if time.Since(before.began) <= o.Fresh {
				o.mu.Unlock()
				return before.index, before.err
			}
		default:
			o.mu.Unlock()
			if before.meanwhile != nil {
				return before.meanwhile, nil
			}
			<-before.done
			return before.index, before.err
		}
	}
	o.mu.Unlock()
	if before == nil || before.err != nil || !before.isCurrent(o.Source) {
		return o.look(name, before, nil)
	}
	o.mu.Lock()
	first := !before.followed
	before.followed = true
	o.mu.Unlock()
	if first {
		o.Later(func() { _, _ = o.look(name, before, before.index) })
	}
	return before.index, nil
}

// look searches. If another search has begun since before, look waits for that one. Until the search has ended, callers
// get meanwhile; if it is nil, they wait.
func (o *Offers) look(name string, before *look, meanwhile *Index) (*Index, error) {
	o.mu.Lock()
	if begun := o.last[name]; begun != before {
		o.mu.Unlock()
		<-begun.done
		return begun.index, begun.err
	}
	now := &look{began: time.Now(), done: make(chan struct{}), err: errors.New("the search broke off"),
		meanwhile: meanwhile}
	if o.last == nil {
		o.last = map[string]*look{}
	}
	o.last[name] = now
	o.mu.Unlock()
	defer close(now.done)
	now.index, now.err = Find(o.Source, name)
	if now.err == nil {
		now.stamps = now.index.stamps
	}
	if now.err == nil && before != nil && before.index != nil && before.index.same(now.index) {
		now.index.close()
		now.index = before.index
	} else if now.err == nil && o.Border != nil {
		if err := now.index.share(o.Border); err != nil && o.Closed != nil {
			o.Closed(err)
		}
	}
	return now.index, now.err
}

// Last returns the last index of each machine that clients asked for. It does not wait.
func (o *Offers) Last() map[string]*Index {
	o.mu.Lock()
	defer o.mu.Unlock()
	found := map[string]*Index{}
	for name, l := range o.last {
		select {
		case <-l.done:
			if l.index != nil {
				found[name] = l.index
			}
		default:
			if l.meanwhile != nil {
				found[name] = l.meanwhile
			}
		}
	}
	return found
}
