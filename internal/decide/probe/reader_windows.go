package probe

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/wire"
	"vkloader/internal/decide/spawn"
)

// Reader is a child that answers questions until this process ends. Its methods return false if the child crashed during the
// question, for example in a driver's part of DXGI. The next question starts the child again, unless it never gave an answer.
type Reader struct {
	Failed func(error) // is called once if the child cannot run or never answers, with the reason

	program string
	lowered bool // the child gets the rights of a program that the user starts

	lock     sync.Mutex
	question io.Writer // nil: the child does not run
	answer   io.Reader
	process  *os.Process
	answered bool // the child has answered a question
	useless  bool // it cannot run, or never answered
}

// answerLimit is the longest time for an answer.
const answerLimit = 30 * time.Second

// answerMax is the size of the largest answer in bytes. The library reads no larger value either.
const answerMax = 1 << 28

// OwnReader returns the reader of this tool, or nil if the tool has no probe.
func OwnReader() *Reader {
	ownReader.once.Do(func() { ownReader.reader = installedReader() })
	return ownReader.reader
}

// ownReader is set on first use: importing the package runs nothing.
var ownReader struct {
	once   sync.Once
	reader *Reader
}

// installedReader returns a reader with the probe that was installed with this program, or nil if there is none.
func installedReader() *Reader {
	own, err := os.Executable()
	if err == nil {
		own, err = filepath.EvalSymlinks(own)
	}
	for _, place := range []string{`libexec\probe.exe`, "probe.exe"} {
		program := filepath.Join(filepath.Dir(own), place)
		if info, there := os.Stat(program); err == nil && there == nil && info.Mode().IsRegular() {
			return NewReader(program)
		}
	}
	return nil
}

// NewReader returns a reader with this probe, which starts at the first question.
func NewReader(program string) *Reader { return &Reader{program: program} }

// start starts the child. The child ends with this process, because its standard input then ends.
func (r *Reader) start() error {
	child := spawn.New(context.Background(), spawn.Tool, r.program, "facts")
	child.Env = os.Environ()
	question, err := child.StdinPipe()
	if err != nil {
		return err
	}
	answer, err := child.StdoutPipe()
	if err != nil {
		return err
	}
	if r.lowered {
		done, err := lower(child.Cmd)
		if err != nil {
			return err
		}
		defer done()
	}
	if err := child.Start(); err != nil {
		return err
	}
	r.question, r.answer, r.process = question, answer, child.Process
	return nil
}

// ask writes a question with put, and returns the answer; "": there was none.
func (r *Reader) ask(put func(*wire.Writer)) string {
	var w wire.Writer
	put(&w)
	r.lock.Lock()
	defer r.lock.Unlock()
	if r.useless {
		return ""
	}
	if r.question == nil {
		if err := r.start(); err != nil {
			r.fail(err)
			return ""
		}
	}
	late := time.AfterFunc(answerLimit, func() { _ = r.process.Kill() })
	defer late.Stop()
	text, err := r.exchange(w.Bytes())
	if err != nil {
		r.question, r.answer = nil, nil
		r.fail(errors.New("it gives no answer"))
		return ""
	}
	r.answered = true
	return text
}

// fail marks a child that has never answered as useless.
func (r *Reader) fail(err error) {
	if r.useless = !r.answered; r.useless && r.Failed != nil {
		r.Failed(unusable(r.program, err))
	}
}

func (r *Reader) exchange(question []byte) (string, error) {
	if _, err := r.question.Write(question); err != nil {
		return "", err
	}
	head := make([]byte, 8)
	if _, err := io.ReadFull(r.answer, head); err != nil {
		return "", err
	}
	size := binary.LittleEndian.Uint32(head[4:])
	if binary.LittleEndian.Uint32(head) != wire.Magic || size < 8 || size > answerMax {
		return "", io.ErrUnexpectedEOF
	}
	text := append(head, make([]byte, size-8)...)
	_, err := io.ReadFull(r.answer, text[8:])
	return string(text), err
}

// Registry returns a key in the view of programs of the probe's word size.
func (r *Reader) Registry(h facts.Hive, name string) (facts.Key, bool) {
	return readKey(r.ask(func(w *wire.Writer) { w.PutNeedRegistry(wire.NeedRegistry{Hive: uint32(h), Key: wire.S(name)}) }))
}

// Adapters returns the values of a name in the keys of the display adapters.
func (r *Reader) Adapters(name string) (facts.Adapters, bool) {
	return readAdapters(r.ask(func(w *wire.Writer) { w.PutNeedAdapters(wire.NeedAdapters{Name: wire.S(name)}) }))
}

// Devices returns the values of a name in the keys of the display devices and their children.
func (r *Reader) Devices(name string) (facts.Devices, bool) {
	return readDevices(r.ask(func(w *wire.Writer) { w.PutNeedDevices(wire.NeedDevices{Name: wire.S(name)}) }))
}

// Packages returns the directories of a family's packages.
func (r *Reader) Packages(family string) ([]string, bool) {
	return readPackages(r.ask(func(w *wire.Writer) { w.PutNeedPackages(wire.NeedPackages{Family: wire.S(family)}) }))
}

// DXGI returns the adapters that DXGI lists.
func (r *Reader) DXGI() (facts.DXGI, bool) {
	return readDXGI(r.ask(func(w *wire.Writer) { w.PutNeedDxgi(wire.NeedDxgi{}) }))
}

// Process returns the rights of the probe's process, which has the rights of this process.
func (r *Reader) Process() (facts.Process, bool) {
	return readProcess(r.ask(func(w *wire.Writer) { w.PutNeedProcess(wire.NeedProcess{}) }))
}
