package doctor

import (
	"encoding"
	"fmt"

	"vkloader/internal/core/diag"
)

// Code is a stable name of a kind of finding of the doctor; those of the library's decision are diag.Code.
type Code uint8

// Entry is a code's line of the table.
type Entry struct {
	Name      string
	Severity  diag.Severity // the usual one; a finding about what no program uses is a warning at most
	Statement string        // the statement that it goes back to; "" for what lies outside the library
	Means     string        // why it matters
	Do        string        // what to do, where a finding has nothing more exact
}

// Codes.
const (
	none Code = iota
	LibraryMissing
	LibraryUnreadable
	LibraryForeign
	LibraryNeeds
	LibraryVersion
	LibrarySymbol
	LibraryRuntime
	DriverHeadless
	LibraryTwice
	DriverInterface
	LayerInterface
	LayerVariable
	GPUNoKernelDriver
	GPUOldKernelDriver
	GPUNoNode
	GPUPermission
	GPUNouveau
	GPUNoDriver
	GPUDisplayOnly
	GPUReserved
	GPUAsleep
	GPULeftOut
	GPUNoVulkan
	GPUNeedsNewer
	GPUVirtual
	DirectoryUnreadable
	NvidiaVersion
	DriverIdle
	DeviceTwice
	SoftwareOnly
	NoDriver
	NotInstalled
	LeftoverOverride
	LeftoverSettings
	SettingsOwn
	SettingsPath
	OrderStale
	LoaderMissing
	LoaderBroken
	LoaderOld
	LoaderBundled
	LoaderOther
	LoaderIgnores
	PluginNoVulkan
	OtherSizeLacks
	VariableValue
	VariableDevice
	VariableUnknown
	ElevatedIgnores
	ElevatedProgram
	ProcessOldFile
	ProcessDiffers
	DriverCrashes
	DriverHangs
	DriverFails
	DriverNoDevice
	DriverExits
	LayerCrashes
	LayerHangs
	LayerFails
	LayerExits
	TogetherFails
	VariableHides
	RegistryStale
	RegistryOff
	RegistrySwitched
	RegistryUnread
	ViewLacksDriver
	ViewLacksLayer
	LayerEverywhere
	DriverTranslates
	LoaderAbsent
	LoaderDamaged
	LoaderShadows
	ElevatedVariable
	ElevatedUserKey
	DriverPackage
	codeCount
)

var table = [codeCount]Entry{
	LibraryMissing: {"library-missing", diag.Problem, "DRV-042",
		"The manifest names a library that is nowhere: the loader skips the driver or layer.",
		"Install the package that has the library, or remove the manifest."},
	LibraryUnreadable: {"library-unreadable", diag.Problem, "DRV-042",
		"The file is no library that could be read: the loader skips the driver or layer.",
		"Install the package of the library again."},
	LibraryForeign: {"library-foreign", diag.Problem, "DRV-041",
		"The library is for programs of another word size or for another processor; this loader skips it.",
		"Install the driver or layer for this architecture."},
	LibraryNeeds: {"library-needs", diag.Problem, "DRV-042",
		"The dynamic linker refuses a library when one that it needs is not there.",
		"Install the package that has the needed library."},
	LibraryVersion: {"library-version", diag.Problem, "DRV-042",
		"The library was built against a newer version of another one than this machine has; the dynamic linker refuses it.",
		"Install versions of the two libraries that belong together."},
	LibrarySymbol: {"library-symbol", diag.Warning, "DRV-044",
		"Nothing that comes with the library defines a symbol that it uses: the program dies at the first use, or the " +
			"dynamic linker refuses the library at once.",
		"Install versions of the libraries that belong together."},
	LibraryRuntime: {"library-runtime", diag.Problem, "",
		"The driver opens this library when it runs, so that its absence shows only then: no device is listed, or nothing " +
			"can be compiled.",
		"Install the driver's packages completely."},
	DriverHeadless: {"driver-headless", diag.Warning, "",
		"Where no display is set, NVIDIA's driver starts itself through EGL; where that does not find it, it has no " +
			"vkCreateInstance, and the loader skips it.",
		"Install libglvnd and the EGL part of NVIDIA's driver."},
	LibraryTwice: {"library-twice", diag.Warning, "PATH-20",
		"Manifests are not compared: a driver that two of them name is loaded twice, and its devices are listed twice.",
		"Remove one of the manifests, or the variable that adds it."},
	DriverInterface: {"driver-interface", diag.Problem, "DRV-059",
		"A driver has to export vk_icdGetInstanceProcAddr, or the functions of the oldest interface.",
		"Correct library_path in the manifest: it names a library that is no driver."},
	LayerVariable: {"layer-variable", diag.Warning, "ENV-64",
		"No shell can set a variable of such a name, so that nobody can switch the layer.",
		"Correct the name in the layer's manifest."},
	LayerInterface: {"layer-interface", diag.Problem, "LAY-293",
		"A layer has to export vkNegotiateLoaderLayerInterfaceVersion or vkGetInstanceProcAddr.",
		"Correct library_path in the manifest: it names a library that is no layer."},
	GPUNoKernelDriver: {"gpu-no-kernel-driver", diag.Problem, "",
		"Without a driver of the kernel nothing can use the device.",
		"Load or install the driver of the kernel for this device."},
	GPUOldKernelDriver: {"gpu-old-kernel-driver", diag.Warning, "",
		"Cards of the generations SI and CIK have two drivers in the kernel, and the older one has no Vulkan.",
		"Start the kernel with radeon.si_support=0 radeon.cik_support=0 amdgpu.si_support=1 amdgpu.cik_support=1"},
	GPUNoNode: {"gpu-no-node", diag.Problem, "",
		"A driver opens the device through its node; without one it lists no device.",
		"Make the device's nodes appear in /dev."},
	GPUPermission: {"gpu-permission", diag.Problem, "",
		"A driver opens the device's node for reading and writing; where it may not, it lists no device.",
		"Give the user the right to read and write the node."},
	GPUNouveau: {"gpu-nouveau", diag.Problem, "",
		"NVIDIA's Vulkan driver works with NVIDIA's module of the kernel only; the free one is served by NVK of Mesa.",
		"Keep nouveau from loading (modprobe.blacklist=nouveau on the kernel's command line), or install NVK."},
	GPUNoDriver: {"gpu-no-driver", diag.Problem, "",
		"Programs do not see a device for which no driver manifest is found.",
		"Install the Vulkan driver for this device."},
	GPUDisplayOnly: {"gpu-display-only", diag.Note, "",
		"Such a device has no Vulkan anywhere.", "Nothing."},
	GPUReserved: {"gpu-reserved", diag.Note, "",
		"A device that is passed on to a virtual machine is not there for programs outside.", "Nothing."},
	GPUAsleep: {"gpu-asleep", diag.Note, "",
		"To wake it takes a second or two and power, even for a program that then uses another device.",
		"Keep programs that do not need it from loading its driver."},
	GPULeftOut: {"gpu-left-out", diag.Note, "ENV-2",
		"Its driver works. What is named here keeps it out of programs, which do not see the device.",
		"Nothing, if that is meant."},
	GPUNoVulkan: {"gpu-no-vulkan", diag.Note, "",
		"Programs compute on the processor, or use OpenGL.", "Nothing."},
	GPUNeedsNewer: {"gpu-needs-newer", diag.Problem, "",
		"A driver that is older than the device does not list it.", "Update Mesa and the kernel."},
	GPUVirtual: {"gpu-virtual", diag.Note, "",
		"A virtual machine has Vulkan on its device only if the host offers it, through Venus. Without it, programs compute on the processor.",
		"Nothing, if software is enough. Otherwise start the virtual machine with Venus (QEMU: -device virtio-gpu-gl,blob=on,venus=on)."},
	DirectoryUnreadable: {"directory-unreadable", diag.Problem, "PATH-16",
		"A loader takes a directory that it may not read for one that is not there.",
		"Let every user read the directory."},
	NvidiaVersion: {"nvidia-version", diag.Problem, "",
		"NVIDIA's module of the kernel and its libraries work only when they are of one version.",
		"Restart the machine: the driver was updated while it was running."},
	DriverIdle: {"driver-idle", diag.Note, "",
		"Every program loads every driver to ask for its devices; with a driver for absent hardware that time is lost.",
		"Switch it off for programs that start too slowly."},
	DeviceTwice: {"device-twice", diag.Warning, "PATH-20",
		"Two drivers list the same device, and programs show it twice or take the one that was not meant.",
		"Switch one of the drivers off."},
	SoftwareOnly: {"software-only", diag.Warning, "",
		"A software renderer works, much slower than a device.",
		"See what is said about the devices."},
	NoDriver: {"no-driver", diag.Problem, "INS-029",
		"Without any driver there is no Vulkan: \"Found no drivers!\" is all that the loader says.",
		"See what is said about each driver."},
	NotInstalled: {"not-installed", diag.Note, "",
		"A machine without a graphics device may do without Vulkan: nothing on it asks for a driver.",
		"Nothing, if no program there needs Vulkan. Otherwise install a loader and a software renderer."},
	LeftoverOverride: {"leftover-override", diag.Warning, "LAY-189",
		"A configurator's override layer changes every program until it is removed, also when the configurator is not " +
			"running.",
		"Change it in the configurator."},
	LeftoverSettings: {"leftover-settings", diag.Warning, "SET-13",
		"A settings file changes every program until it is removed, also when what wrote it is not running.",
		"Change it in what wrote it."},
	SettingsOwn: {"settings-own", diag.Note, "SET-13",
		"vkloader settings, policy and quarantine keep what they are told in this file.",
		"Nothing, if that is meant. To see it: vkloader settings show. To remove it: vkloader settings clear"},
	SettingsPath: {"settings-path", diag.Problem, "SET-85",
		"A layer or driver of a settings file comes from the path that it names, and from nowhere else.",
		"Install what it names, or correct the path."},
	OrderStale: {"settings-order", diag.Warning, "SET-53",
		"A settings file names layers one by one. A layer that was installed later takes the place of all others, which may be the wrong side.",
		"Write the rules again: vkloader settings order apply"},
	LoaderMissing: {"loader-missing", diag.Problem, "",
		"A program that uses Vulkan does not start, or does without, when the dynamic linker finds no loader.",
		"Install a Vulkan loader."},
	LoaderBroken: {"loader-broken", diag.Problem, "",
		"The dynamic linker stops at the first file of the name, also at one that is empty or damaged.",
		"Install the loader's package again, or remove the file."},
	LoaderOld: {"loader-old", diag.Warning, "",
		"An older loader lacks commands, settings and corrections that newer ones have.",
		"Remove the older loader."},
	LoaderBundled: {"loader-bundled", diag.Warning, "",
		"A loader that comes with a program is not updated with the system, and may look in other directories.",
		"Remove the bundled loader."},
	LoaderOther: {"loader-other", diag.Note, "",
		"With several loaders on one machine it depends on the program which one it gets.", "Nothing."},
	LoaderIgnores: {"loader-ignores", diag.Warning, "",
		"Loaders of other versions do not read every variable and setting; docs/loaders.md says which came with which version.",
		"Use vkloader run, or vkloader system use vkloader."},
	PluginNoVulkan: {"plugin-no-vulkan", diag.Warning, "",
		"A library that neither is linked with a Vulkan loader nor opens one cannot use Vulkan.",
		"Use a build of it with Vulkan."},
	OtherSizeLacks: {"other-word-size", diag.Warning, "",
		"A loader for these programs is installed, and no driver that it could use: 32-bit games find no device.",
		"Install the drivers for 32-bit programs."},
	VariableValue: {"variable-value", diag.Warning, "ENV-1",
		"A value that the variable does not take has no effect, or another one than it seems to.",
		"Correct or unset the variable."},
	VariableDevice: {"variable-device", diag.Warning, "ENV-85",
		"A selection of a device that is not here has no effect: the order is as without it.",
		"Name a device that is here, by vendor and device number."},
	VariableUnknown: {"variable-unknown", diag.Warning, "ENV-1",
		"A name that is not quite right has no effect, and nothing says so.", "Correct or unset the variable."},
	ElevatedIgnores: {"elevated-ignores", diag.Warning, "GEN-5",
		"A program with more rights than its user (setuid, setgid, capabilities) must not be led by that user.",
		"Put the manifests into /etc/vulkan, which every program reads."},
	ElevatedProgram: {"elevated-program", diag.Note, "GEN-5",
		"A program with more rights than its user (setuid, setgid, capabilities) must not be led by that user.",
		"Examine it with --elevated."},
	ProcessOldFile: {"process-old-file", diag.Warning, "",
		"What was updated while a program runs is used from its next start on; old and new parts together may not fit.",
		"Start the program again."},
	ProcessDiffers: {"process-differs", diag.Warning, "",
		"A program keeps what it loaded; the diagnosis of what would be loaded now is not about that.",
		"Start the program again, or see with which variables it was started: vkloader explain --pid."},
	DriverCrashes: {"driver-crashes", diag.Problem, "",
		"Drivers run in the program's own process: when one crashes, the program does, also when it uses another one.",
		"Update or remove the driver, or switch it off."},
	DriverHangs: {"driver-hangs", diag.Problem, "",
		"Drivers run in the program's own process: when one does not come back, the program does not.",
		"Update or remove the driver, or switch it off."},
	DriverFails: {"driver-fails", diag.Problem, "",
		"A driver that fails is left out, or makes the whole call fail.",
		"Update or install the driver again, or remove it."},
	DriverNoDevice: {"driver-no-device", diag.Note, "",
		"A driver without a device is loaded by every program for nothing; where there is a device for it, it may be too " +
			"old for that.",
		"Nothing, as long as its device is not in this machine."},
	DriverExits: {"driver-exits", diag.Problem, "",
		"Drivers run in the program's own process: when one calls exit, the program ends without a word.",
		"Update or remove the driver, or switch it off."},
	LayerCrashes: {"layer-crashes", diag.Problem, "",
		"Layers run in the program's own process: when one crashes, the program does.",
		"Update or remove the layer, or switch it off."},
	LayerHangs: {"layer-hangs", diag.Problem, "",
		"Layers run in the program's own process: when one does not come back, the program does not.",
		"Update or remove the layer, or switch it off."},
	LayerFails: {"layer-fails", diag.Problem, "",
		"When a layer fails, no program gets an instance or a device.",
		"Update or remove the layer, or switch it off."},
	LayerExits: {"layer-exits", diag.Problem, "",
		"Layers run in the program's own process: when one calls exit, the program ends without a word.",
		"Update or remove the layer, or switch it off."},
	TogetherFails: {"together-fails", diag.Problem, "",
		"Each driver works alone, and a program that gets all drivers and layers does not.",
		"Run a program with fewer of them: vkloader run --no-layers PROGRAM"},
	VariableHides: {"variable-hides", diag.Problem, "",
		"A variable that chooses devices can leave a program without any, or end it.",
		"Unset the variable."},
	RegistryStale: {"registry-stale", diag.Warning, "WIN-055",
		"A value of the registry names a file that is gone, as an uninstaller leaves it behind: every program tries to open it, and a " +
			"driver or layer that should be there is not.",
		"Delete the value, or install again what it belongs to."},
	RegistryOff: {"registry-off", diag.Warning, "WIN-036",
		"Loaders take a name in this key only when its data are four bytes of 0, as of a REG_DWORD of 0; this one counts for nothing.",
		"Write the value again, as a REG_DWORD of 0."},
	RegistrySwitched: {"registry-switched-off", diag.Note, "WIN-036",
		"A number other than 0 is the usual way to switch a driver or layer off without uninstalling it.",
		"Set the value to 0 to switch it on."},
	RegistryUnread: {"registry-unread", diag.Warning, "WIN-037",
		"Drivers are found in HKEY_LOCAL_MACHINE alone: a driver that the user's key names is found by no program.",
		"Install the driver for all users."},
	ViewLacksDriver: {"view-lacks-driver", diag.Warning, "WIN-038",
		"The registry has a view for each word size of programs, and a driver has to be in both.",
		"Install the driver completely: it brings a library and a manifest for each word size."},
	ViewLacksLayer: {"view-lacks-layer", diag.Note, "WIN-038",
		"The registry has a view for each word size of programs, and a layer is in the programs of its own view alone.",
		"Nothing, unless the layer is wanted in those programs."},
	LayerEverywhere: {"layer-everywhere", diag.Note, "LAY-125",
		"Overlays and recorders come as implicit layers, which are in every program; they are the first to try without when a program " +
			"crashes or shows nothing.",
		"Uninstall what it belongs to, or switch it off there, when it troubles a program."},
	DriverTranslates: {"driver-translates", diag.Warning, "WIN-044",
		"The OpenCL, OpenGL and Vulkan Compatibility Pack brings a driver for machines without one; beside the maker's own it is slower, and " +
			"a program that takes the first device may get it.",
		"Uninstall the Compatibility Pack (Microsoft.D3DMappingLayers), if the maker's driver works."},
	LoaderAbsent: {"loader-absent", diag.Problem, "WIN-001",
		"A program that uses Vulkan does not start, or does without, when there is no loader in the system's directory.",
		"Install the driver of the graphics card, or the Vulkan runtime, which bring one."},
	LoaderDamaged: {"loader-damaged", diag.Problem, "WIN-001",
		"A program takes the first file of the name, and fails when that is none for it.",
		"Install the Vulkan runtime again, or remove the file."},
	LoaderShadows: {"loader-shadows", diag.Warning, "WIN-001",
		"A vulkan-1.dll beside a program comes before the system's, and stays as old as it is.",
		"Remove or rename the file beside the program."},
	ElevatedVariable: {"elevated-variable", diag.Warning, "WIN-057",
		"A program that runs as administrator must not be led by variables of the user.",
		"Start the program without the rights of an administrator."},
	ElevatedUserKey: {"elevated-user-key", diag.Note, "WIN-051",
		"A program that runs as administrator must not be led by the keys of the user: layers and settings there are not for it.",
		"Start the program without the rights of an administrator, or install the layers for all users."},
	DriverPackage: {"driver-package", diag.Problem, "WIN-018",
		"The driver of a display device names a manifest that is gone, as an interrupted update or a cleaning program leaves it behind: " +
			"programs do not get this device.",
		"Install the driver of the graphics card again, with its option for a clean installation."},
}

// Entry gives the code's line of the table.
func (c Code) Entry() *Entry { return &table[c] }

func (c Code) String() string { return table[c].Name }

// MarshalText gives the name, for JSON.
func (c Code) MarshalText() ([]byte, error) { return []byte(c.String()), nil }

// Kind is what kind of finding it is: a Code of the doctor, or a diag.Code of the library's decision.
type Kind interface {
	fmt.Stringer
	encoding.TextMarshaler
}

// Codes calls f for every code, in order; the documentation is made of it.
func Codes(f func(Code, *Entry)) {
	for c := none + 1; c < codeCount; c++ {
		f(c, &table[c])
	}
}
