package windows

import (
	"unicode/utf16"
	"unsafe"

	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"

	"vkloader/internal/core/facts"
)

// Functions of gdi32, the kernel's interface to its display adapters.
var (
	gdi32            = windows.NewLazySystemDLL("gdi32.dll")
	enumAdapters     = gdi32.NewProc("D3DKMTEnumAdapters2")
	queryAdapterInfo = gdi32.NewProc("D3DKMTQueryAdapterInfo")
	closeAdapter     = gdi32.NewProc("D3DKMTCloseAdapter")
)

type kernelAdapter struct {
	handle uint32
	_      [4]uint32 // LUID, number of sources, a flag
}

type kernelAdapters struct {
	count uint32
	list  *kernelAdapter
}

type kernelQuery struct {
	adapter uint32
	kind    uint32
	data    unsafe.Pointer
	size    uint32
}

const (
	queryRegistry = 48
	adapterKey    = 1
	translatePath = 1
	overflowed    = 1 // the status if the value is longer than the buffer
	maxPath       = 260
)

// registryQuery is a query of a value. The value's text begins at the field value and continues after the structure.
type registryQuery struct {
	key      uint32
	flags    uint32
	name     [maxPath]uint16
	kind     uint32
	physical uint32
	size     uint32 // size of the value in bytes
	status   uint32
	value    [2]uint32
}

// Adapters asks the kernel's display adapters for a value (WIN-018 to WIN-027).
func Adapters(name string) facts.Adapters {
	if enumAdapters.Find() != nil || queryAdapterInfo.Find() != nil {
		return facts.Adapters{Status: facts.AdaptersUnknown}
	}
	var all kernelAdapters
	if status, _, _ := enumAdapters.Call(pointer(&all)); int32(status) < 0 {
		return facts.Adapters{Status: facts.AdaptersFailed}
	}
	list := make([]kernelAdapter, max(all.count, 1))
	all.list = &list[0]
	if status, _, _ := enumAdapters.Call(pointer(&all)); int32(status) < 0 {
		return facts.Adapters{Status: facts.AdaptersFailed}
	}
	result := facts.Adapters{Status: facts.AdaptersEnumerated}
	more := true
	for i := range list[:min(int(all.count), len(list))] {
		if more {
			a := askAdapter(list[i].handle, name)
			result.List = append(result.List, a)
			more = a.Status != facts.AdapterBroken // WIN-027
		}
		if closeAdapter.Find() == nil {
			_, _, _ = closeAdapter.Call(pointer(&list[i].handle))
		}
	}
	return result
}

// askAdapter asks for a list of texts first, then for one (WIN-020).
func askAdapter(handle uint32, name string) (a facts.Adapter) {
	for _, kind := range []uint32{registry.MULTI_SZ, registry.SZ} {
		var data []byte
		a.Type = kind
		if a.Status, data = askAs(handle, name, kind); a.Status == facts.AdapterNoValue {
			continue
		}
		if a.Status == facts.AdapterValue {
			var ok bool
			if a.Data, ok = valueData(kind, data); !ok {
				a.Status = facts.AdapterNoValue
			}
		}
		return a
	}
	return a
}

func askAs(handle uint32, name string, kind uint32) (facts.AdapterStatus, []byte) {
	size := uint32(unsafe.Sizeof(registryQuery{}))
	block := make([]uint64, (size+7)/8)
	q := (*registryQuery)(unsafe.Pointer(&block[0]))
	q.key, q.flags, q.kind = adapterKey, translatePath, kind
	copy(q.name[:maxPath-1], utf16.Encode([]rune(name)))
	query := kernelQuery{adapter: handle, kind: queryRegistry, data: unsafe.Pointer(q), size: size}
	if status, _, _ := queryAdapterInfo.Call(pointer(&query)); int32(status) < 0 {
		return facts.AdapterNoValue, nil
	}
	if q.status == overflowed && q.size <= dataMost {
		longer := make([]uint64, (size+q.size+7)/8)
		copy(longer, block)
		block, q = longer, (*registryQuery)(unsafe.Pointer(&longer[0]))
		query.data, query.size = unsafe.Pointer(q), size+q.size
		if status, _, _ := queryAdapterInfo.Call(pointer(&query)); int32(status) < 0 || q.status != 0 {
			return facts.AdapterBroken, nil
		}
	}
	if q.status != 0 {
		return facts.AdapterNoValue, nil
	}
	room := uint32(len(block))*8 - uint32(unsafe.Offsetof(q.value))
	return facts.AdapterValue, unsafe.Slice((*byte)(unsafe.Pointer(&q.value)), min(q.size, room))
}
