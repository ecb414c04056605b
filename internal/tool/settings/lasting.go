package settings

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strings"
	"sync"

	"vkloader/discover"
	"vkloader/internal/core/pathname"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/shell"
	"vkloader/internal/tool/exit"
)

// releaseNumber is a version in an identifier.
var releaseNumber = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`[0-9]+\.[0-9]+`) })

// versionIn returns the text of a UUID that is a text with a version, such as "mesa25.0.7-2"; "" for other UUIDs.
func versionIn(uuid string) string {
	bytes, err := hex.DecodeString(strings.ReplaceAll(uuid, "-", ""))
	if err != nil {
		return ""
	}
	text := strings.TrimRight(string(bytes), "\x00")
	if strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) || !releaseNumber().MatchString(text) {
		return ""
	}
	return text
}

// CanName returns an error for a device that settings cannot name, or would lose with the next update of its driver; then the
// error says how to choose the driver instead. After an update, the loader finds a device by its UUIDs, or by its name if no
// other device has it (SET-95).
func CanName(d *discover.Device) error {
	_, err := deviceEntry(d)
	return err
}

// deviceEntry returns a device's UUIDs and version as they are in settings, or the error of CanName.
func deviceEntry(d *discover.Device) (map[string]any, error) {
	entry, is := explicitDevice(fmt.Sprintf("%s/%s/%d", d.DeviceUUID, d.DriverUUID, int32(d.DriverVersion)))
	if !is {
		return nil, exit.Problem("--device: %s supports only Vulkan 1.0, and settings cannot name devices of Vulkan 1.0", d.Name)
	}
	version := versionIn(d.DeviceUUID)
	if version == "" {
		return entry, nil
	}
	instead := shell.Line("vkloader settings set --driver NAME (vkloader list drivers shows the name)")
	if name := manifestsOf[d.DriverName]; name != "" && machine.Style == pathname.Slash { // on Windows, Wine's driver may be before it
		instead = "vkloader settings set --driver " + shell.Quoted(name)
	}
	return nil, exit.Problem("--device: the identifier of %s contains the version of its driver (%s): an update "+
		"of the driver changes it, and no program would get the "+
		"device. Choose its driver instead: %s", d.Name, version, instead)
}

// manifestsOf are the names of the manifests of drivers that identify their device by their version, as patterns.
var manifestsOf = map[string]string{"llvmpipe": "lvp_icd*"}

// Lasting describes how the settings keep their devices after an update of a driver.
const Lasting = "After an update of a driver, this loader finds these devices again by their UUIDs, or by their names."
