package windows

import (
	"syscall"

	"golang.org/x/sys/windows"

	"vkloader/internal/core/facts"
)

var createFactory = windows.NewLazySystemDLL("dxgi.dll").NewProc("CreateDXGIFactory1")

var (
	idFactory1 = windows.GUID{Data1: 0x770aae78, Data2: 0xf26f, Data3: 0x4dba,
		Data4: [8]byte{0xa8, 0x29, 0x25, 0x3c, 0x83, 0xd1, 0xb3, 0x87}}
	idFactory6 = windows.GUID{Data1: 0xc1b6694f, Data2: 0xff09, Data3: 0x44a9,
		Data4: [8]byte{0xb0, 0x3c, 0x77, 0x90, 0x0a, 0x0a, 0x1d, 0x17}}
	idAdapter1 = windows.GUID{Data1: 0x29038f61, Data2: 0x3839, Data3: 0x4626,
		Data4: [8]byte{0x91, 0xfd, 0x08, 0x68, 0x79, 0x01, 0x1a, 0x05}}
)

// object is a COM object; its methods are identified by index.
type object struct{ methods *[30]uintptr }

// Indices of methods.
const (
	release        = 2
	getDesc1       = 10 // of IDXGIAdapter1
	enumAdapters1  = 12 // of IDXGIFactory1
	enumByGPU      = 29 // of IDXGIFactory6
	adaptersMost   = 64
	hresultFailure = 1 << 31
)

func (o *object) call(method int, args ...uintptr) (failed bool) {
	result, _, _ := syscall.SyscallN(o.methods[method], append([]uintptr{pointer(o)}, args...)...)
	return uint32(result)&hresultFailure != 0
}

type adapterDesc struct {
	description    [128]uint16
	vendor, device uint32
	_              [2]uint32  // subsystem, revision
	_              [3]uintptr // sizes of memory
	luidLow        uint32
	luidHigh       int32
	_              uint32 // flags
}

// DXGI lists the adapters of DXGI, in its order of preference if it has one (WIN-039, WIN-040).
func DXGI() (d facts.DXGI) {
	if createFactory.Find() != nil {
		return d
	}
	var factory *object
	for _, id := range []*windows.GUID{&idFactory6, &idFactory1} {
		if result, _, _ := createFactory.Call(pointer(id), pointer(&factory)); uint32(result)&hresultFailure == 0 &&
			factory != nil {
			d.Made, d.Ordered = true, id == &idFactory6
			break
		}
	}
	if !d.Made {
		return d
	}
	defer factory.call(release)
	for i := uintptr(0); i < adaptersMost; i++ {
		var adapter *object
		failed := false
		if d.Ordered {
			failed = factory.call(enumByGPU, i, 0, pointer(&idAdapter1), pointer(&adapter))
		} else {
			failed = factory.call(enumAdapters1, i, pointer(&adapter))
		}
		if failed || adapter == nil {
			break
		}
		var desc adapterDesc
		failed = adapter.call(getDesc1, pointer(&desc))
		adapter.call(release)
		if failed {
			break
		}
		d.List = append(d.List,
			facts.Display{Description: text(desc.description[:]), Vendor: desc.vendor, Device: desc.device,
				LUIDLow: desc.luidLow, LUIDHigh: desc.luidHigh})
	}
	return d
}
