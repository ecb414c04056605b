package offer

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"

	"vkloader/internal/service/sealed"
	"vkloader/internal/tool/machine"
)

// Index is what was found for one machine at one time. Its files are those that were there then, also when others have
// taken their names since.
type Index struct {
	Document
	LeftOut []LeftOut

	text  []byte
	file  *os.File // sealed; the text
	files []*os.File
}

// Text opens the document for a client.
func (x *Index) Text() (*os.File, error) { return sealed.Again(x.file) }

// Size is the length of the document.
func (x *Index) Size() int { return len(x.text) }

// Open opens one of the files for a client.
func (x *Index) Open(file int) (*os.File, error) {
	if file < 0 || file >= len(x.files) {
		return nil, os.ErrInvalid
	}
	return sealed.Again(x.files[file])
}

// same tells whether an index found later says the same of the same files.
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
	if x.file != nil {
		x.file.Close()
	}
	for _, f := range x.files {
		f.Close()
	}
}

// Find looks at the machine now. The name is one that Machine gives.
func Find(source *machine.Source, name string) (*Index, error) {
	g, err := Gather(source, name)
	if err != nil {
		return nil, err
	}
	x := &Index{Document: g.Document, LeftOut: g.LeftOut}
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
		x.files = append(x.files, f)
		info, err := f.Stat()
		if err != nil {
			return err
		}
		x.Files[i].Size = info.Size()
	}
	var err error
	if x.text, err = json.Marshal(x.Document); err != nil {
		return err
	}
	x.file, err = sealed.Data("vulkan-drivers", x.text)
	return err
}

// Offers keeps what was found last, for each machine.
type Offers struct {
	Source *machine.Source
	Fresh  time.Duration // how long it is not looked again

	mu   sync.Mutex
	last map[string]*look
}

// look is one search, which several may wait for.
type look struct {
	began time.Time
	done  chan struct{}
	index *Index
	err   error
}

// Find gives what is offered on a machine. Whoever asks while a search is running waits for that one.
func (o *Offers) Find(name string) (*Index, error) {
	o.mu.Lock()
	before := o.last[name]
	if before != nil {
		select {
		case <-before.done:
			if time.Since(before.began) > o.Fresh {
				break
			}
			o.mu.Unlock()
			return before.index, before.err
		default:
			o.mu.Unlock()
			<-before.done
			return before.index, before.err
		}
	}
	now := &look{began: time.Now(), done: make(chan struct{}), err: errors.New("the search broke off")}
	if o.last == nil {
		o.last = map[string]*look{}
	}
	o.last[name] = now
	o.mu.Unlock()
	defer close(now.done)
	now.index, now.err = Find(o.Source, name)
	if now.err == nil && before != nil && before.index != nil && before.index.same(now.index) {
		now.index.close()
		now.index = before.index
	}
	return now.index, now.err
}

// Last is what was found last, for the machines that were asked for. It does not wait.
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
		}
	}
	return found
}
