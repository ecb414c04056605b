package windows

import (
	"golang.org/x/sys/windows"
	"golang.org/x/sys/windows/registry"

	"vkloader/internal/core/facts"
)

// Functions of cfgmgr32 for the tree of devices.
var (
	cfgmgr32   = windows.NewLazySystemDLL("cfgmgr32.dll")
	idListSize = cfgmgr32.NewProc("CM_Get_Device_ID_List_SizeW")
	idList     = cfgmgr32.NewProc("CM_Get_Device_ID_ListW")
	locate     = cfgmgr32.NewProc("CM_Locate_DevNodeW")
	nodeStatus = cfgmgr32.NewProc("CM_Get_DevNode_Status")
	childOf    = cfgmgr32.NewProc("CM_Get_Child")
	siblingOf  = cfgmgr32.NewProc("CM_Get_Sibling")
	deviceID   = cfgmgr32.NewProc("CM_Get_Device_IDW")
	property   = cfgmgr32.NewProc("CM_Get_DevNode_Registry_PropertyW")
	openKey    = cfgmgr32.NewProc("CM_Open_DevNode_Key")
)

const (
	listTries = 8 // attempts to read a list to which devices are being added
	idLength  = 200

	crSuccess     = 0
	crBufferSmall = 0x1a
	filterClass   = 0x200
	filterPresent = 0x100
	classGUID     = 9 // CM_DRP_CLASSGUID
	hasProblem    = 0x400
	needRestart   = 0x100
	openExisting  = 1
	softwareKey   = 1 // CM_REGISTRY_SOFTWARE
)

// Devices lists the present display devices and their children, with the values of a name in their software keys
// (WIN-028 to WIN-035).
func Devices(name string) facts.Devices {
	for _, p := range []*windows.LazyProc{idListSize, idList, locate, nodeStatus, childOf, siblingOf, deviceID,
		property, openKey} {
		if p.Find() != nil {
			return facts.Devices{}
		}
	}
	ids, ok := displays()
	all := facts.Devices{Listed: ok}
	for _, id := range ids {
		wide, err := windows.UTF16PtrFromString(id)
		if err != nil {
			continue
		}
		var node uint32
		if result, _, _ := locate.Call(pointer(&node), pointer(wide), 0); result != crSuccess {
			all.List = append(all.List, facts.Device{ID: id, Status: facts.DeviceLost, Value: facts.SoftwareNoKey})
			continue
		}
		all.List = append(all.List, device(node, id, name, false))
		var child uint32
		for result, _, _ := childOf.Call(pointer(&child), uintptr(node),
			0); result == crSuccess; result, _, _ = siblingOf.Call(pointer(&child), uintptr(child), 0) {
			var buffer [idLength + 1]uint16
			if got, _, _ := deviceID.Call(uintptr(child), pointer(&buffer[0]), idLength, 0); got == crSuccess {
				all.List = append(all.List, device(child, text(buffer[:]), name, true))
			}
		}
	}
	return all
}

// displays returns the identifiers of the present display devices.
func displays() (ids []string, ok bool) {
	class, err := windows.UTF16PtrFromString(DisplayClass)
	if err != nil {
		return nil, false
	}
	for range listTries {
		var size uint32
		if result, _, _ := idListSize.Call(pointer(&size), pointer(class), filterClass|
			filterPresent); result != crSuccess {
			return nil, false
		}
		buffer := make([]uint16, size+1)
		result, _, _ := idList.Call(pointer(class), pointer(&buffer[0]), uintptr(size), filterClass|filterPresent)
		if result == crBufferSmall { // WIN-029
			continue
		}
		if result != crSuccess {
			return nil, false
		}
		for len(buffer) > 0 && buffer[0] != 0 {
			id := text(buffer)
			end := 0
			for end < len(buffer) && buffer[end] != 0 {
				end++
			}
			ids, buffer = append(ids, id), buffer[min(end+1, len(buffer)):]
		}
		return ids, true
	}
	return nil, false
}

func device(node uint32, id, name string, child bool) facts.Device {
	d := facts.Device{ID: id, Child: child, Value: facts.SoftwareNoKey}
	var flags, problem uint32
	if result, _, _ := nodeStatus.Call(pointer(&flags), pointer(&problem), uintptr(node), 0); result != crSuccess {
		d.Status = facts.DeviceMute
		return d
	}
	switch {
	case flags&hasProblem != 0:
		d.Problem = problem
	case flags&needRestart != 0:
		d.Problem = facts.NeedsRestart
	}
	var class [64]uint16
	room := uint32(len(class) * 2)
	if result, _, _ := property.Call(uintptr(node), classGUID, 0, pointer(&class[0]), pointer(&room),
		0); result == crSuccess {
		d.Class = text(class[:])
	}
	var key registry.Key
	if result, _, _ := openKey.Call(uintptr(node), registry.QUERY_VALUE, 0, openExisting, pointer(&key),
		softwareKey); result == crSuccess {
		defer key.Close()
		d.Value, d.Type, d.Data = softwareValue(key, name)
	}
	return d
}

func softwareValue(key registry.Key, name string) (facts.SoftwareStatus, uint32, string) {
	if _, _, err := key.GetValue(name, nil); err == registry.ErrNotExist {
		return facts.SoftwareNoValue, 0, ""
	}
	kind, data, ok := valueOf(key, name)
	if !ok {
		return facts.SoftwareBroken, 0, ""
	}
	return facts.SoftwareValue, kind, data
}
