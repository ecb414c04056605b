// Command libvkcore is the core: the exported functions that the spine finds with dlsym. Bytes in, bytes out, recover;
// nothing else. No Go pointer leaves it, and no C pointer is kept or followed beyond the bytes of one call (G-7).
package main

/*
#include <stddef.h>
#include <stdint.h>
*/
import "C"

import (
	"runtime"
	"sync"
	"unsafe"

	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
	"vkloader/internal/core/wire"
)

// abiNumber is VKCORE_ABI of spine/abi.h.
const abiNumber = 2

// Results of vkcore_decide.
const (
	resultOK    = 0
	resultSpace = 1
	resultFault = 2
	resultBad   = 3
)

// heapLimit is how much is allocated before a collection is made; it is made at the end of a call, on the caller's
// time, because nothing of the runtime works in the background here (G-8).
const heapLimit = 4 << 20

// freeLimit is the heap above which a collection gives memory back to the system as well.
const freeLimit = 48 << 20

// state is everything that the core has. The lock is held while deciding, which takes microseconds and calls nothing.
var state struct {
	lock     sync.Mutex
	last     uint64
	contexts map[uint64]*plan.Memory
	writer   wire.Writer
	started  bool
}

// setGCPercent is runtime/debug.SetGCPercent without that package, which would bring fmt, os and reflect with it.
//
//go:linkname setGCPercent runtime/debug.setGCPercent
func setGCPercent(percent int32) int32

// freeOSMemory is runtime/debug.FreeOSMemory: a collection, and what it freed goes back to the system.
//
//go:linkname freeOSMemory runtime/debug.freeOSMemory
func freeOSMemory()

// heapBytes is the size of what is allocated and not collected; the overlay adds it to the runtime.
//
//go:linkname heapBytes runtime.vkcoreHeap
func heapBytes() uint64

//export vkcore_abi
func vkcore_abi() C.uint32_t { return abiNumber }

//export vkcore_attach
func vkcore_attach() C.uint64_t {
	state.lock.Lock()
	defer state.lock.Unlock()
	if !state.started {
		state.started = true
		setGCPercent(-1)
		state.contexts = make(map[uint64]*plan.Memory)
	}
	state.last++
	state.contexts[state.last] = &plan.Memory{}
	return C.uint64_t(state.last)
}

//export vkcore_detach
func vkcore_detach(context C.uint64_t) {
	state.lock.Lock()
	defer state.lock.Unlock()
	delete(state.contexts, uint64(context))
}

//export vkcore_decide
func vkcore_decide(context C.uint64_t, facts unsafe.Pointer, factsSize C.size_t, answer unsafe.Pointer, room C.size_t,
	need *C.size_t) C.int32_t {
	state.lock.Lock()
	defer state.lock.Unlock()
	defer collect()
	memory := state.contexts[uint64(context)]
	if memory == nil || facts == nil || need == nil {
		return resultBad
	}
	question := string(unsafe.Slice((*byte)(facts), int(factsSize)))
	out, ok, fault := decide(question, memory)
	if !ok && !fault {
		return resultBad
	}
	*need = C.size_t(len(out))
	if fault && len(out) > int(room) {
		out = out[:room]
		*need = room
	}
	if len(out) > int(room) {
		memory.Forget() // what this answer would have made it remember: the question comes again
		return resultSpace
	}
	copy(unsafe.Slice((*byte)(answer), int(room)), out)
	memory.Keep()
	if fault {
		return resultFault
	}
	return resultOK
}

// decide catches panics (G-9); then the bytes are the panic's text.
func decide(question string, memory *plan.Memory) (out []byte, ok, fault bool) {
	defer func() {
		if p := recover(); p != nil {
			memory.Forget()
			out, ok, fault = []byte(panicText(p)), false, true
		}
	}()
	state.writer.Reset()
	ok = wire.Decide(question, memory, search.Linux(), &state.writer)
	return state.writer.Bytes(), ok, false
}

func panicText(p any) string {
	switch v := p.(type) {
	case error:
		return v.Error()
	case string:
		return v
	}
	return "a panic of an unknown type"
}

// collect frees memory when enough has come together.
func collect() {
	if !state.started {
		return
	}
	if heap := heapBytes(); heap > heapLimit {
		state.writer = wire.Writer{}
		if heap > freeLimit {
			freeOSMemory() // a manifest of many MB was there; nothing gives memory back in the background
		} else {
			runtime.GC()
		}
	}
}

func main() {}
