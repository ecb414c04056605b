// Command universal joins Mach-O files of several machines into one universal file, like lipo. It signs those without a
// signature ad hoc, as linkers do. The same files give the same bytes.
//
//	universal -o OUT FILE...
package main

import (
	"bytes"
	"debug/macho"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

const (
	magic = 0xcafebabe
	align = 14 // the larger page size of both machines, 16 kB
)

func main() {
	out := flag.String("o", "", "the universal file")
	flag.Parse()
	if err := join(*out, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "universal:", err)
		os.Exit(1)
	}
}

// join writes the universal file of files to out.
func join(out string, files []string) error {
	var header, body bytes.Buffer
	put := func(v ...uint32) {
		for _, n := range v {
			header.Write(binary.BigEndian.AppendUint32(nil, n))
		}
	}
	put(magic, uint32(len(files)))
	at := uint32(1 << align)
	for _, name := range files {
		content, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		f, err := macho.NewFile(bytes.NewReader(content))
		if err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		if content, err = sign(content, f, filepath.Base(out)); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
		put(uint32(f.Cpu), f.SubCpu, at, uint32(len(content)), align)
		body.Write(make([]byte, -body.Len()&(1<<align-1)))
		body.Write(content)
		at += uint32(len(content)+(1<<align)-1) &^ (1<<align - 1)
	}
	header.Write(make([]byte, 1<<align-header.Len()))
	header.Write(body.Bytes())
	if out == "" {
		return fmt.Errorf("-o OUT is missing")
	}
	temporary := out + ".new"
	if err := os.WriteFile(temporary, header.Bytes(), 0o755); err != nil {
		return err
	}
	return os.Rename(temporary, out)
}
