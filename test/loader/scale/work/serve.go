package main

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"runtime/coverage"

	"vkloader/internal/core/plan"
	"vkloader/test/lib/inmemory"
)

// places are the paths of the file for the decision, by its kind.
var places = []string{explicitDirectory + "/f.json", implicitDirectory + "/f.json", driverDirectory + "/f.json", settingsPath}

// serve answers questions: how many blocks of the core are executed for a decision with this file? A question is a kind and a length,
// 32 bits each, and a text; the answer is a number of 64 bits. Numbers are little-endian.
func serve(in io.Reader, out io.Writer) error {
	for {
		var head [2]uint32
		if err := binary.Read(in, binary.LittleEndian, &head); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		text := make([]byte, head[1])
		if _, err := io.ReadFull(in, text); err != nil {
			return err
		}
		tree := &inmemory.Tree{Vars: map[string]string{"HOME": "/h"}, Program: "/bin/program",
			Files: map[string]string{places[int(head[0])%len(places)]: string(text)}}
		if err := coverage.ClearCounters(); err != nil {
			return err
		}
		if plan.Resolve(&plan.Question{Kind: plan.Instance, Platform: platform, Explain: true}, tree) == nil {
			return errors.New("the core asks for ever more facts and never decides")
		}
		sum, err := executed()
		if err != nil {
			return err
		}
		if err := binary.Write(out, binary.LittleEndian, sum); err != nil {
			return err
		}
	}
}

// executed returns how often blocks were executed since the counters were cleared. The counters have the form of covdata's files: a
// header of 32 bytes, the number of functions, the sizes of two tables, the tables, and for each function the number of its counters,
// two numbers for its position, and the counters.
func executed() (sum uint64, err error) {
	var out bytes.Buffer
	if err := coverage.WriteCounters(&out); err != nil {
		return 0, err
	}
	b := out.Bytes()
	if len(b) < 48 || b[24] != 2 { // the format: ULEB128 numbers
		return 0, fmt.Errorf("counters in an unknown form: % x", b[:min(len(b), 48)])
	}
	functions := binary.LittleEndian.Uint64(b[32:])
	at := 48 + int(binary.LittleEndian.Uint32(b[40:])) + int(binary.LittleEndian.Uint32(b[44:]))
	at = (at + 3) &^ 3
	next := func() uint64 {
		v, n := binary.Uvarint(b[min(at, len(b)):])
		if n <= 0 {
			err = errors.New("the counters end too early")
		}
		at += max(n, 0)
		return v
	}
	for range functions {
		counters := next()
		next() // package
		next() // function
		for ; counters > 0 && err == nil; counters-- {
			sum += next()
		}
		if err != nil {
			return 0, err
		}
	}
	return sum, nil
}
