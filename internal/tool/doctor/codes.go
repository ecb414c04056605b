package doctor

import (
	_ "embed"
	"encoding"
	"fmt"
	"strings"

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

//go:embed codes.txt
var codesTable string

// codes lists every code of the table, in its order. Every start of the tool makes them, so all are parts of one array and of one string.
var (
	codes          = make([]*Code, 0, len(codeArray))
	codeArray      [128]Code
	_, nextCode, _ = strings.Cut(codesTable, "\n\n") // after the table's comment
)

// code returns the next code of the table. Its heading has the name, the severity, and perhaps a statement.
func code(name string) *Code {
	paragraph, rest, _ := strings.Cut(nextCode, "\n\n")
	heading, text, _ := strings.Cut(paragraph, "\n")
	means, do, _ := strings.Cut(text, "\n")
	found, words, _ := strings.Cut(heading, " | ")
	word, statement, _ := strings.Cut(words, " | ")
	severity := diag.Note
	switch word {
	case "problem":
		severity = diag.Problem
	case "warning":
		severity = diag.Warning
	}
	if found != name {
		panic("codes.txt has " + found + " in the place of " + name)
	}
	c := &codeArray[len(codes)]
	*c = Code{name, severity, statement, means, strings.TrimSuffix(do, "\n")}
	codes, nextCode = append(codes, c), rest
	return c
}

// The doctor's codes.
var (
	LibraryMissing      = code("library-missing")
	LibraryUnreadable   = code("library-unreadable")
	LibraryForeign      = code("library-foreign")
	LibraryNeeds        = code("library-needs")
	LibraryVersion      = code("library-version")
	LibrarySymbol       = code("library-symbol")
	LibraryShadowed     = code("library-shadowed")
	LibraryRuntime      = code("library-runtime")
	DriverHeadless      = code("driver-headless")
	LibraryQuarantined  = code("library-quarantined")
	DriverCopies        = code("driver-copies")
	SDKRemoved          = code("sdk-removed")
	LibraryTwice        = code("library-twice")
	DriverInterface     = code("driver-interface")
	LayerInterface      = code("layer-interface")
	LayerVariable       = code("layer-variable")
	GPUNoKernelDriver   = code("gpu-no-kernel-driver")
	GPUOldKernelDriver  = code("gpu-old-kernel-driver")
	GPUNoNode           = code("gpu-no-node")
	GPUPermission       = code("gpu-permission")
	ServicePermission   = code("service-permission")
	ServiceDevices      = code("service-devices")
	ProgramNeeds        = code("program-needs")
	GPUNouveau          = code("gpu-nouveau")
	GPUNoDriver         = code("gpu-no-driver")
	GPUMissing          = code("gpu-missing")
	DeviceNotConformant = code("device-not-conformant")
	GPUDisplayOnly      = code("gpu-display-only")
	GPUReserved         = code("gpu-reserved")
	GPUAsleep           = code("gpu-asleep")
	GPULeftOut          = code("gpu-left-out")
	GPUNoVulkan         = code("gpu-no-vulkan")
	GPUNeedsNewer       = code("gpu-needs-newer")
	GPUUnfinished       = code("gpu-unfinished")
	GPUVirtual          = code("gpu-virtual")
	DirectoryUnreadable = code("directory-unreadable")
	NvidiaVersion       = code("nvidia-version")
	DriverIdle          = code("driver-idle")
	DeviceTwice         = code("device-twice")
	SoftwareOnly        = code("software-only")
	NoDriver            = code("no-driver")
	NoDevice            = code("no-device")
	SystemFiles         = code("system-files")
	SettingsHide        = code("settings-hide")
	NotInstalled        = code("not-installed")
	LeftoverOverride    = code("leftover-override")
	LeftoverSettings    = code("leftover-settings")
	SettingsOwn         = code("settings-own")
	SettingsPath        = code("settings-path")
	LoaderMissing       = code("loader-missing")
	LoaderBroken        = code("loader-broken")
	LoaderOld           = code("loader-old")
	LoaderBundled       = code("loader-bundled")
	LoaderOther         = code("loader-other")
	LoaderIgnores       = code("loader-ignores")
	LoaderLookups       = code("loader-lookups")
	PluginNoVulkan      = code("plugin-no-vulkan")
	OtherSizeLacks      = code("other-word-size")
	VariableValue       = code("variable-value")
	VariableDevice      = code("variable-device")
	LayerSettings       = code("layer-settings")
	VariableUnknown     = code("variable-unknown")
	ElevatedIgnores     = code("elevated-ignores")
	ElevatedProgram     = code("elevated-program")
	ProgramStatic       = code("program-static")
	ProcessOldFile      = code("process-old-file")
	ProcessDiffers      = code("process-differs")
	DriverCrashes       = code("driver-crashes")
	DriverHangs         = code("driver-hangs")
	DriverFails         = code("driver-fails")
	DriverNoDevice      = code("driver-no-device")
	DriverExits         = code("driver-exits")
	LayerCrashes        = code("layer-crashes")
	LayerHangs          = code("layer-hangs")
	LayerFails          = code("layer-fails")
	LayerExits          = code("layer-exits")
	LayerLeftOut        = code("layer-left-out")
	LayerSlow           = code("layer-slow")
	DriverSlow          = code("driver-slow")
	TrialRights         = code("trial-rights")
	TogetherFails       = code("together-fails")
	VariableHides       = code("variable-hides")
	RegistryStale       = code("registry-stale")
	RegistryOff         = code("registry-off")
	RegistrySwitched    = code("registry-switched-off")
	RegistryUnread      = code("registry-unread")
	ViewLacksDriver     = code("view-lacks-driver")
	ViewLacksLayer      = code("view-lacks-layer")
	LayerEverywhere     = code("layer-everywhere")
	DriverTranslates    = code("driver-translates")
	LoaderAbsent        = code("loader-absent")
	LoaderDamaged       = code("loader-damaged")
	LoaderShadows       = code("loader-shadows")
	ElevatedVariable    = code("elevated-variable")
	ElevatedUserKey     = code("elevated-user-key")
	DriverPackage       = code("driver-package")
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
