package facts

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"testing"

	"vkloader/internal/core/facts"
	"vkloader/internal/core/wire"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/process"
)

// asReader is the first argument with which the test's program runs the tool's reader: in a process with the user,
// the variables and the directory of the program that has the library's reader.
const asReader = "reader"

func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == asReader {
		if err := read(os.Args[2], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// read answers the questions that the library's messages answer, for a program or, for "-", for this process. For
// each message it writes one with its own answers. An empty message begins a call.
func read(program string, in io.Reader, out io.Writer) error {
	m := machine.Machine{Environ: os.Environ()}
	source := &machine.Source{Machine: m}
	if program != "-" { // as for the tool's flag --app
		real, err := m.Real(program)
		if err != nil {
			return err
		}
		source.Program, source.Elevated = real, process.RightsOf(&m, real) != ""
	}
	from, to := bufio.NewReader(in), bufio.NewWriter(out)
	defer to.Flush()
	store := facts.NewStore()
	for {
		message, err := take(from)
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if message == "" {
			store = facts.NewStore()
			continue
		}
		if err := give(to, answer(message, store, source)); err != nil {
			return err
		}
	}
}

// answer answers the questions in a message of the library.
func answer(message string, store *facts.Store, source facts.Provider) []byte {
	var w wire.Writer
	in, _ := wire.Open(message)
	for {
		r, more := in.Next()
		if !more {
			return w.Bytes()
		}
		if v, is := r.Var(); is {
			need(store, source, facts.Need{Kind: facts.KindVar, Name: v.Name.Text, Secure: v.Secure != 0})
			read := source.Var(v.Name.Text, v.Secure != 0)
			v.Value = wire.Str{Text: read.Value, Set: read.Set}
			w.PutVar(v)
		} else if v, is := r.Directory(); is {
			need(store, source, facts.Need{Kind: facts.KindDirectory, Name: v.Path.Text})
			w.PutDirectory(directory(v.Path, store.Directory(v.Path.Text)))
		} else if v, is := r.File(); is {
			need(store, source, facts.Need{Kind: facts.KindFile, Name: v.Path.Text})
			read, _ := store.File(v.Path.Text)
			w.PutFile(file(v.Path, read))
		} else if _, is := r.Exe(); is {
			need(store, source, facts.Need{Kind: facts.KindExe})
			read := store.Exe()
			w.PutExe(wire.Exe{Path: wire.Str{Text: read.Path, Set: read.Known}})
		} else if v, is := r.Exists(); is {
			need(store, source, facts.Need{Kind: facts.KindExists, Name: v.Path.Text})
			v.Yes = 0
			if store.Exists(v.Path.Text) {
				v.Yes = 1
			}
			w.PutExists(v)
		} else if v, is := r.Foreign(); is {
			need(store, source, facts.Need{Kind: facts.KindForeign, Name: v.Path.Text})
			v.Yes = 0
			if store.WrongMachine(v.Path.Text) {
				v.Yes = 1
			}
			w.PutForeign(v)
		} else if _, is := r.Graphics(); is {
			need(store, source, facts.Need{Kind: facts.KindGraphics})
			read, _ := store.Graphics()
			w.PutGraphics(graphics(read))
		}
	}
}

func need(store *facts.Store, source facts.Provider, n facts.Need) {
	store.Fetch([]facts.Need{n}, source)
}

func directory(path wire.Str, read facts.Directory) wire.Directory {
	v := wire.Directory{Path: path, Status: wire.DirectoryNotOpened, Names: strs(read.Names)}
	if read.Listed {
		v.Status = wire.DirectoryListed
	}
	return v
}

func file(path wire.Str, read facts.File) wire.File {
	v := wire.File{Path: path, Status: uint32(read.Status)}
	if read.Status == facts.FileRead {
		v.Content = wire.S(read.Content)
	}
	return v
}

func graphics(read facts.Graphics) wire.Graphics {
	v := wire.Graphics{Status: wire.GraphicsNone, Devices: strs(read.Devices), Power: strs(read.Power)}
	if read.Listed {
		v.Status = wire.GraphicsListed
	}
	return v
}

func strs(list []string) (out []wire.Str) {
	for _, one := range list {
		out = append(out, wire.S(one))
	}
	return out
}

// sized sets the size in the head of a message that has grown.
func sized(message []byte) []byte {
	binary.LittleEndian.PutUint32(message[4:], uint32(len(message)))
	return message
}

// give writes a message with its size before it.
func give(to *bufio.Writer, message []byte) error {
	head := binary.LittleEndian.AppendUint32(nil, uint32(len(message)))
	if _, err := to.Write(append(head, message...)); err != nil {
		return err
	}
	return to.Flush()
}

// take reads what give has written.
func take(from io.Reader) (string, error) {
	var head [4]byte
	if _, err := io.ReadFull(from, head[:]); err != nil {
		return "", err
	}
	message := make([]byte, binary.LittleEndian.Uint32(head[:]))
	_, err := io.ReadFull(from, message)
	return string(message), err
}
