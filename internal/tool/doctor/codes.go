package doctor

import (
	"encoding"
	"fmt"

	"vkloader/internal/core/diag"
)

// Code is a kind of finding of the doctor, with a stable name. The library's decision has codes of type diag.Code.
type Code struct {
	Name      string
	Severity  diag.Severity // the usual one; for a driver or layer that programs do not use, a warning at most
	Statement string        // the violated statement; "": the fault lies outside the library
	Means     string        // why it matters
	Do        string        // the fix, for a finding without a more exact one
}

// codes lists every code in table order. Every start of the tool makes them, so all are parts of one array.
var (
	codes     = make([]*Code, 0, len(codeArray))
	codeArray [128]Code
)

// code adds a code to the table.
func code(name string, severity diag.Severity, statement, means, do string) *Code {
	c := &codeArray[len(codes)]
	*c = Code{name, severity, statement, means, do}
	codes = append(codes, c)
	return c
}

// The doctor's codes.
var (
	LibraryMissing = code("library-missing", diag.Problem, "DRV-042",
		"The manifest names a library that does not exist. The loader skips the driver or layer.",
		"Install the package that has the library, or remove the manifest.")
	LibraryUnreadable = code("library-unreadable", diag.Problem, "DRV-042",
		"The file is not a readable library. The loader skips the driver or layer.",
		"Install the package of the library again.")
	LibraryForeign = code("library-foreign", diag.Problem, "DRV-041",
		"The library is for programs of another word size or for another processor. This loader skips it.",
		"Install the driver or layer for this architecture.")
	LibraryNeeds = code("library-needs", diag.Problem, "DRV-042",
		"The dynamic linker does not load a library with a missing dependency.",
		"Install the package that has the missing library.")
	LibraryVersion = code("library-version", diag.Problem, "DRV-042",
		"The library needs a newer version of another library than this machine has. The dynamic linker does not load it.",
		"Install matching versions of the two libraries.")
	LibrarySymbol = code("library-symbol", diag.Warning, "DRV-044",
		"No dependency of the library defines a symbol that the library uses. The dynamic linker does not load the library, "+
			"or the program ends at the first use of the symbol.",
		"Install matching versions of the libraries.")
	LibraryShadowed = code("library-shadowed", diag.Problem, "",
		"A library of the program replaces the system's library of the same name. Drivers are built for the system's library.",
		"Start the program with the system's library.")
	LibraryRuntime = code("library-runtime", diag.Problem, "",
		"The driver opens this library at run time. Without it, the driver lists no device, or cannot compile shaders.",
		"Install all packages of the driver.")
	DriverHeadless = code("driver-headless", diag.Warning, "",
		"Without a display, NVIDIA's driver initializes through EGL. If EGL does not find the driver, the driver has no "+
			"vkCreateInstance, and the loader skips it.",
		"Install libglvnd and the EGL part of NVIDIA's driver.")
	LibraryQuarantined = code("library-quarantined", diag.Warning, "",
		"macOS may refuse to load a downloaded library until the user allows it. The loader then skips the driver or layer.",
		"Remove the attribute, if you trust the file.")
	DriverCopies = code("driver-copies", diag.Warning, "MAC-006",
		"A program loads each copy of a driver, and lists the driver's devices once for each copy.",
		"Remove one of the manifests.")
	SDKRemoved = code("sdk-removed", diag.Problem, "",
		"The script setup-env.sh of the Vulkan SDK sets these variables. Programs then search only the SDK's directories, "+
			"and find no driver or layer of a removed SDK.",
		"Unset the variables, or run the script of an installed SDK.")
	LibraryTwice = code("library-twice", diag.Warning, "PATH-20",
		"The loader does not compare manifests. A driver that two manifests name is loaded twice, and its devices are "+
			"listed twice.",
		"Remove one of the manifests, or the variable that adds it.")
	DriverInterface = code("driver-interface", diag.Problem, "DRV-059",
		"A driver must export vk_icdGetInstanceProcAddr, or the functions of the oldest interface.",
		"Correct library_path in the manifest: it names a library that is not a driver.")
	LayerInterface = code("layer-interface", diag.Problem, "LAY-293",
		"A layer must export vkNegotiateLoaderLayerInterfaceVersion or vkGetInstanceProcAddr.",
		"Correct library_path in the manifest: it names a library that is not a layer.")
	LayerVariable = code("layer-variable", diag.Warning, "ENV-64",
		"No shell can set a variable with this name, so users cannot enable or disable the layer.",
		"Correct the name in the layer's manifest.")
	GPUNoKernelDriver = code("gpu-no-kernel-driver", diag.Problem, "",
		"Without a kernel driver, no program can use the device.",
		"Load or install the kernel driver for this device.")
	GPUOldKernelDriver = code("gpu-old-kernel-driver", diag.Warning, "",
		"AMD cards of the generations SI and CIK have two kernel drivers. No Vulkan driver works with the older one, "+
			"radeon.",
		"Start the kernel with radeon.si_support=0 radeon.cik_support=0 amdgpu.si_support=1 amdgpu.cik_support=1")
	GPUNoNode = code("gpu-no-node", diag.Problem, "",
		"A driver opens a device through its node, and does not list a device without a node.",
		"Load the device's kernel driver. For a container: pass the nodes in /dev to it.")
	GPUPermission = code("gpu-permission", diag.Problem, "",
		"A driver opens the device's node for reading and writing. Without this permission, it does not list the device.",
		"Give the user permission to read and write the node.")
	ServicePermission = code("service-permission", diag.Warning, "",
		"A service opens devices with the permissions of its own user, not of the user who is logged in. Without permission, the service computes on the CPU.",
		"Give the user of the service permission to read and write the node.")
	ServiceDevices = code("service-devices", diag.Warning, "",
		"The unit's settings keep the service from its devices. Without devices, the service computes on the CPU.",
		"Allow the devices in the unit, with DeviceAllow= and PrivateDevices=no.")
	ProgramNeeds = code("program-needs", diag.Warning, "",
		"No device meets the program's requirements. The program computes on the CPU, or does not start. An update of the driver does not change this.",
		"Use an older release of the program, or another device.")
	GPUNouveau = code("gpu-nouveau", diag.Problem, "",
		"NVIDIA's Vulkan driver works only with NVIDIA's kernel module. The driver for nouveau is NVK, which is part of "+
			"Mesa.",
		"Keep nouveau from loading (modprobe.blacklist=nouveau on the kernel's command line), or install NVK.")
	GPUNoDriver = code("gpu-no-driver", diag.Problem, "",
		"Programs do not see a device without a driver manifest.",
		"Install the Vulkan driver for this device.")
	GPUMissing = code("gpu-missing", diag.Warning, "",
		"Programs do not get a device that can render, and no known cause explains it.",
		"See what the driver says when it is the only one: vkloader run --log debug --driver MANIFEST vkcube")
	DeviceNotConformant = code("device-not-conformant", diag.Note, "",
		"Programs with the library wgpu ignore a device whose driver has passed no version of the conformance test.",
		"Nothing, unless a program with wgpu sees no device. For that program: env WGPU_ALLOW_UNDERLYING_NONCOMPLIANT_ADAPTER=1 PROGRAM")
	GPUDisplayOnly = code("gpu-display-only", diag.Note, "",
		"No Vulkan driver exists for this device.", "Nothing.")
	GPUReserved = code("gpu-reserved", diag.Note, "",
		"Programs on the host cannot use a device that is passed through to a virtual machine.", "Nothing.")
	GPUAsleep = code("gpu-asleep", diag.Note, "",
		"Loading its driver wakes the device. This takes one or two seconds, and power, even if the program uses another device.",
		"Exclude the driver from programs that do not need the device.")
	GPULeftOut = code("gpu-left-out", diag.Note, "ENV-2",
		"The device's driver works, but the named variable or file excludes the driver.",
		"Nothing, if this is intended.")
	GPUNoVulkan = code("gpu-no-vulkan", diag.Note, "",
		"Programs compute on the CPU, or use OpenGL.", "Nothing.")
	GPUNeedsNewer = code("gpu-needs-newer", diag.Problem, "",
		"A driver does not list devices that are newer than the driver.", "Update Mesa and the kernel.")
	GPUUnfinished = code("gpu-unfinished", diag.Problem, "",
		"A driver that is not finished may draw wrong images or crash. It lists the device only on demand.", "Set the variable, at your own risk.")
	GPUVirtual = code("gpu-virtual", diag.Note, "",
		"A virtual machine has Vulkan on its device only if the host provides it, with Venus. Without Venus, programs "+
			"compute on the CPU.",
		"Nothing, if software rendering is enough. Otherwise, start the virtual machine with Venus (QEMU: -device "+
			"virtio-gpu-gl,blob=on,venus=on).")
	DirectoryUnreadable = code("directory-unreadable", diag.Problem, "PATH-16",
		"Loaders ignore a directory that they may not read.",
		"Let every user read the directory.")
	NvidiaVersion = code("nvidia-version", diag.Problem, "",
		"NVIDIA's kernel module and libraries work only if they have the same version.",
		"Restart the machine: the driver was updated while it was running.")
	DriverIdle = code("driver-idle", diag.Note, "",
		"Every program loads every driver to list its devices. A driver for absent hardware only costs time.",
		"If programs start too slowly, exclude the driver.")
	DeviceTwice = code("device-twice", diag.Warning, "PATH-20",
		"Two drivers list the same device. Programs show it twice, or use the wrong one.",
		"Disable one of the drivers.")
	SoftwareOnly = code("software-only", diag.Problem, "",
		"A software renderer works, but is much slower than a graphics device.",
		"See the findings about the devices.")
	NoDriver = code("no-driver", diag.Problem, "INS-029",
		"Without a driver, Vulkan does not work. The loader only reports \"Found no drivers!\".",
		"See the findings about each driver.")
	NoDevice = code("no-device", diag.Problem, "",
		"A driver for graphics devices lists no device without one. A software renderer computes on the CPU.",
		"Install a software renderer, lavapipe of Mesa.")
	SystemFiles = code("system-files", diag.Problem, "",
		"Drivers find devices through /sys, and the dynamic linker and drivers read /proc. Without them, no driver lists a device.",
		"Mount the file system.")
	SettingsHide = code("settings-hide", diag.Problem, "SET-97",
		"With this settings file, drivers fail or list no device. Without it, they list their devices.",
		"Correct the settings file.")
	NotInstalled = code("not-installed", diag.Note, "",
		"A machine without a graphics device may not need Vulkan.",
		"Nothing, if no program on it needs Vulkan. Otherwise, install a loader and a software renderer.")
	LeftoverOverride = code("leftover-override", diag.Warning, "LAY-189",
		"A configurator's override layer changes every program until it is removed, even when the configurator is not "+
			"running.",
		"Change it in the configurator.")
	LeftoverSettings = code("leftover-settings", diag.Warning, "SET-13",
		"A settings file changes every program until it is removed, even when the program that wrote it is not running.",
		"Change it with the program that wrote it.")
	SettingsOwn = code("settings-own", diag.Note, "SET-13",
		"The commands settings, run and doctor of vkloader write this file.",
		"Nothing, if this is intended. To see it: vkloader settings show. To remove it: vkloader settings clear")
	SettingsPath = code("settings-path", diag.Problem, "SET-85",
		"The loader loads a layer or driver of a settings file only from the path in the file.",
		"Install the missing file, or correct the path.")
	LoaderMissing = code("loader-missing", diag.Problem, "",
		"If the dynamic linker finds no loader, a program that uses Vulkan does not start, or works without Vulkan.",
		"Install a Vulkan loader.")
	LoaderBroken = code("loader-broken", diag.Problem, "",
		"The dynamic linker uses the first file with this name, even if it is empty or damaged.",
		"Install the loader's package again, or remove the file.")
	LoaderOld = code("loader-old", diag.Warning, "",
		"An older loader lacks commands, settings and fixes that newer ones have.",
		"Remove the older loader.")
	LoaderBundled = code("loader-bundled", diag.Warning, "",
		"A loader that comes with a program is not updated with the system, and may search other directories.",
		"Remove the bundled loader.")
	LoaderOther = code("loader-other", diag.Note, "",
		"The machine has several loaders. The program determines the loader that it gets.", "Nothing.")
	LoaderIgnores = code("loader-ignores", diag.Warning, "",
		"Loaders of other versions do not read every variable and setting. docs/loaders.md lists the version that "+
			"introduced each.",
		"Use vkloader run, or vkloader system use vkloader.")
	LoaderLookups = code("loader-lookups", diag.Note, "",
		"Older loaders compare a command's name with the names of all commands. Programs look up hundreds of commands when they start.",
		"Look up each command once, when the program starts. To start a program with the loader of this tool: vkloader run PROGRAM")
	PluginNoVulkan = code("plugin-no-vulkan", diag.Warning, "",
		"A library that is not linked with a Vulkan loader, and does not open one, cannot use Vulkan.",
		"Use a build of it that supports Vulkan.")
	OtherSizeLacks = code("other-word-size", diag.Warning, "",
		"A loader for 32-bit programs is installed, but no working driver for them. 32-bit games find no device.",
		"Install the drivers for 32-bit programs.")
	VariableValue = code("variable-value", diag.Warning, "ENV-1",
		"An invalid value has no effect, or an unexpected effect.",
		"Correct or unset the variable.")
	VariableDevice = code("variable-device", diag.Warning, "ENV-85",
		"Selecting a device that this machine does not have changes nothing: the devices keep their order, and most programs use the first one.",
		"Name a device of this machine, by vendor and device number.")
	LayerSettings = code("layer-settings", diag.Warning, "",
		"Settings of a layer have no effect in programs that do not have the layer. A program may enable it itself.",
		"Enable the layer.")
	VariableUnknown = code("variable-unknown", diag.Warning, "ENV-1",
		"A misspelled variable has no effect, and no loader reports it.", "Correct or unset the variable.")
	ElevatedIgnores = code("elevated-ignores", diag.Warning, "GEN-5",
		"A program with more rights than its user (setuid, setgid, capabilities) must not be controlled by that user.",
		"Install drivers and layers for all users: every program finds manifests in /etc/vulkan.")
	ElevatedProgram = code("elevated-program", diag.Note, "GEN-5",
		"A program with more rights than its user (setuid, setgid, capabilities) must not be controlled by that user.",
		"Nothing: the findings are for the program with these rights.")
	ProgramStatic = code("program-static", diag.Warning, "",
		"A statically linked program does not use the dynamic linker, so it loads no Vulkan loader. No variable changes this.",
		"Link it dynamically: without -static.")
	ProcessOldFile = code("process-old-file", diag.Warning, "",
		"A running program keeps old files until it is started again. Old and new files may not work together.",
		"Start the program again.")
	ProcessDiffers = code("process-differs", diag.Warning, "",
		"A program keeps the files that it loaded. The findings are about the files that it would load now.",
		"Start the program again, or see the variables that it was started with: vkloader explain --pid.")
	DriverCrashes = code("driver-crashes", diag.Problem, "",
		"Drivers run in the program's process. If one crashes, the program crashes, even if it uses another driver.",
		"Update, remove or disable the driver.")
	DriverHangs = code("driver-hangs", diag.Problem, "",
		"Drivers run in the program's process. If one hangs, the program hangs.",
		"Update, remove or disable the driver.")
	DriverFails = code("driver-fails", diag.Problem, "",
		"The loader leaves out a driver that fails, or its failure makes the program's call fail.",
		"Update, reinstall or remove the driver.")
	DriverNoDevice = code("driver-no-device", diag.Note, "",
		"Every program loads this driver, but gets no device from it. If the machine has a device for it, the driver "+
			"may be too old.",
		"Nothing, if this machine has no device for it.")
	DriverExits = code("driver-exits", diag.Problem, "",
		"Drivers run in the program's process. If one calls exit, the program ends without a message.",
		"Update, remove or disable the driver.")
	LayerCrashes = code("layer-crashes", diag.Problem, "",
		"Layers run in the program's process. If one crashes, the program crashes.",
		"Update, remove or disable the layer.")
	LayerHangs = code("layer-hangs", diag.Problem, "",
		"Layers run in the program's process. If one hangs, the program hangs.",
		"Update, remove or disable the layer.")
	LayerFails = code("layer-fails", diag.Problem, "",
		"When a layer fails, no program gets an instance or a device.",
		"Update, remove or disable the layer.")
	LayerExits = code("layer-exits", diag.Problem, "",
		"Layers run in the program's process. If one calls exit, the program ends without a message.",
		"Update, remove or disable the layer.")
	LayerLeftOut = code("layer-left-out", diag.Problem, "",
		"Programs run without the layer, although a variable, a file or its manifest makes it active.",
		"Update the layer, or install it again.")
	LayerSlow = code("layer-slow", diag.Warning, "",
		"Layers run in the program's process. A program waits for each of its layers when it starts.",
		"Update, remove or disable the layer.")
	DriverSlow = code("driver-slow", diag.Warning, "",
		"Every program loads all drivers when it starts, and waits for each of them.",
		"Update the driver, or leave it out for programs that do not need its device.")
	TrialRights = code("trial-rights", diag.Note, "WIN-057",
		"An elevated process ignores the variables that leave drivers and layers out, so no driver or layer can be tried alone.",
		"Run doctor in a prompt without administrator rights.")
	TogetherFails = code("together-fails", diag.Problem, "",
		"Each driver works alone, but a program that gets all drivers and layers fails.",
		"Run a program with fewer of them: vkloader run --no-layers PROGRAM")
	VariableHides = code("variable-hides", diag.Problem, "",
		"A variable that selects devices can leave a program without devices, or make it fail.",
		"Unset the variable.")
	RegistryStale = code("registry-stale", diag.Warning, "WIN-055",
		"A registry value names a file that no longer exists. An uninstaller may have left the value behind. Every "+
			"program tries to open the file.",
		"Delete the value, or reinstall the program that it belongs to.")
	RegistryOff = code("registry-off", diag.Warning, "WIN-036",
		"Loaders use a value of this key only if its data is a REG_DWORD of 0. They ignore this value.",
		"Write the value again, as a REG_DWORD of 0.")
	RegistrySwitched = code("registry-switched-off", diag.Note, "WIN-036",
		"A number other than 0 is the usual way to disable a driver or layer without uninstalling it.",
		"Set the value to 0 to enable it.")
	RegistryUnread = code("registry-unread", diag.Warning, "WIN-037",
		"Loaders search only HKEY_LOCAL_MACHINE for drivers. No program finds a driver that the user's key names.",
		"Install the driver for all users.")
	ViewLacksDriver = code("view-lacks-driver", diag.Warning, "WIN-038",
		"The registry has a view for each word size of programs. A driver must be in both.",
		"Install the complete driver. It contains a library and a manifest for each word size.")
	ViewLacksLayer = code("view-lacks-layer", diag.Note, "WIN-038",
		"The registry has a view for each word size of programs. Programs get only the layers in their own view.",
		"Nothing, unless those programs need the layer.")
	LayerEverywhere = code("layer-everywhere", diag.Note, "LAY-125",
		"Overlays and recorders are implicit layers, which every program gets. If a program crashes or shows nothing, "+
			"try it without them first.",
		"If it causes problems in a program, disable it in the application that installed it, or uninstall that "+
			"application.")
	DriverTranslates = code("driver-translates", diag.Warning, "WIN-044",
		"The OpenCL, OpenGL and Vulkan Compatibility Pack contains a driver for machines without one. It is slower than "+
			"the vendor's driver, and a program that uses the first device may get it.",
		"Uninstall the Compatibility Pack (Microsoft.D3DMappingLayers), if the vendor's driver works.")
	LoaderAbsent = code("loader-absent", diag.Problem, "WIN-001",
		"If the system directory has no loader, a program that uses Vulkan does not start, or works without Vulkan.",
		"Install the driver of the graphics card, or the Vulkan runtime. Both contain a loader.")
	LoaderDamaged = code("loader-damaged", diag.Problem, "WIN-001",
		"A program uses the first file with this name, and fails if it cannot load that file.",
		"Install the Vulkan runtime again, or remove the file.")
	LoaderShadows = code("loader-shadows", diag.Warning, "WIN-001",
		"A vulkan-1.dll in a program's directory takes precedence over the system's, and is not updated with it.",
		"Remove or rename the file in the program's directory.")
	ElevatedVariable = code("elevated-variable", diag.Warning, "WIN-057",
		"A program that runs as administrator must not be controlled by variables of the user.",
		"Start the program without the rights of an administrator.")
	ElevatedUserKey = code("elevated-user-key", diag.Note, "WIN-051",
		"A program that runs as administrator must not be controlled by the keys of the user. It ignores layers and "+
			"settings there.",
		"Start the program without the rights of an administrator, or install the layers for all users.")
	DriverPackage = code("driver-package", diag.Problem, "WIN-018",
		"The driver of a display device names a manifest that no longer exists, for example after an interrupted "+
			"update. Programs do not get this device.",
		"Install the driver of the graphics card again, with its option for a clean installation.")
)

func (c *Code) String() string { return c.Name }

// MarshalText returns the code's name for JSON.
func (c *Code) MarshalText() ([]byte, error) { return []byte(c.Name), nil }

// Kind is the code of a finding: a Code of the doctor, or a diag.Code of the library's decision.
type Kind interface {
	fmt.Stringer
	encoding.TextMarshaler
}

// Codes calls f for every code in table order. The documentation is generated with it.
func Codes(f func(*Code)) {
	for _, c := range codes {
		f(c)
	}
}
