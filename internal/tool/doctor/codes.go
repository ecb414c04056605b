package doctor

import (
	_ "embed"
	"encoding"
	"fmt"
	"strings"
	"sync"

	"vkloader/internal/core/diag"
)

// Code is the stable name of a kind of finding of the doctor. The library's decision has codes of type diag.Code.
type Code string

// The doctor's codes. Their texts are in codes.txt.
const (
	LibraryMissing      Code = "library-missing"
	LibraryUnreadable   Code = "library-unreadable"
	LibraryForeign      Code = "library-foreign"
	LibraryNeeds        Code = "library-needs"
	LibraryVersion      Code = "library-version"
	LibrarySymbol       Code = "library-symbol"
	LibraryShadowed     Code = "library-shadowed"
	LibraryRuntime      Code = "library-runtime"
	DriverHeadless      Code = "driver-headless"
	LibraryQuarantined  Code = "library-quarantined"
	DriverCopies        Code = "driver-copies"
	SDKRemoved          Code = "sdk-removed"
	LibraryTwice        Code = "library-twice"
	DriverInterface     Code = "driver-interface"
	LayerInterface      Code = "layer-interface"
	LayerVariable       Code = "layer-variable"
	GPUNoKernelDriver   Code = "gpu-no-kernel-driver"
	GPUOldKernelDriver  Code = "gpu-old-kernel-driver"
	GPUNoNode           Code = "gpu-no-node"
	GPUPermission       Code = "gpu-permission"
	ServicePermission   Code = "service-permission"
	ServiceDevices      Code = "service-devices"
	ProgramNeeds        Code = "program-needs"
	GPUNouveau          Code = "gpu-nouveau"
	GPUNoDriver         Code = "gpu-no-driver"
	GPUMissing          Code = "gpu-missing"
	DeviceNotConformant Code = "device-not-conformant"
	GPUDisplayOnly      Code = "gpu-display-only"
	GPUReserved         Code = "gpu-reserved"
	GPUAsleep           Code = "gpu-asleep"
	GPULeftOut          Code = "gpu-left-out"
	GPUNoVulkan         Code = "gpu-no-vulkan"
	GPUNeedsNewer       Code = "gpu-needs-newer"
	GPUUnfinished       Code = "gpu-unfinished"
	GPUVirtual          Code = "gpu-virtual"
	DirectoryUnreadable Code = "directory-unreadable"
	NvidiaVersion       Code = "nvidia-version"
	DriverIdle          Code = "driver-idle"
	DeviceTwice         Code = "device-twice"
	SoftwareOnly        Code = "software-only"
	NoDriver            Code = "no-driver"
	NoDevice            Code = "no-device"
	SystemFiles         Code = "system-files"
	SettingsHide        Code = "settings-hide"
	NotInstalled        Code = "not-installed"
	LeftoverOverride    Code = "leftover-override"
	LeftoverSettings    Code = "leftover-settings"
	SettingsOwn         Code = "settings-own"
	SettingsPath        Code = "settings-path"
	LoaderMissing       Code = "loader-missing"
	LoaderBroken        Code = "loader-broken"
	LoaderOld           Code = "loader-old"
	LoaderBundled       Code = "loader-bundled"
	LoaderOther         Code = "loader-other"
	LoaderIgnores       Code = "loader-ignores"
	LoaderLookups       Code = "loader-lookups"
	PluginNoVulkan      Code = "plugin-no-vulkan"
	OtherSizeLacks      Code = "other-word-size"
	VariableValue       Code = "variable-value"
	VariableDevice      Code = "variable-device"
	LayerSettings       Code = "layer-settings"
	VariableUnknown     Code = "variable-unknown"
	ElevatedIgnores     Code = "elevated-ignores"
	ElevatedProgram     Code = "elevated-program"
	ProgramStatic       Code = "program-static"
	ProcessOldFile      Code = "process-old-file"
	ProcessDiffers      Code = "process-differs"
	DeviceWindowless    Code = "device-windowless"
	DriverCrashes       Code = "driver-crashes"
	DriverHangs         Code = "driver-hangs"
	DriverFails         Code = "driver-fails"
	DriverNoDevice      Code = "driver-no-device"
	DriverExits         Code = "driver-exits"
	LayerCrashes        Code = "layer-crashes"
	LayerHangs          Code = "layer-hangs"
	LayerFails          Code = "layer-fails"
	LayerExits          Code = "layer-exits"
	LayerLeftOut        Code = "layer-left-out"
	LayerSlow           Code = "layer-slow"
	DriverSlow          Code = "driver-slow"
	TrialRights         Code = "trial-rights"
	TogetherFails       Code = "together-fails"
	VariableHides       Code = "variable-hides"
	RegistryStale       Code = "registry-stale"
	RegistryOff         Code = "registry-off"
	RegistrySwitched    Code = "registry-switched-off"
	RegistryUnread      Code = "registry-unread"
	ViewLacksDriver     Code = "view-lacks-driver"
	ViewLacksLayer      Code = "view-lacks-layer"
	LayerEverywhere     Code = "layer-everywhere"
	DriverTranslates    Code = "driver-translates"
	LoaderAbsent        Code = "loader-absent"
	LoaderDamaged       Code = "loader-damaged"
	LoaderShadows       Code = "loader-shadows"
	ElevatedVariable    Code = "elevated-variable"
	ElevatedUserKey     Code = "elevated-user-key"
	DriverPackage       Code = "driver-package"
)

//go:embed codes.txt
var codesTable string

// CodeEntry is the table entry of a code.
type CodeEntry struct {
	diag.Entry
	Means string // why it matters
}

// codeEntries returns the codes of the table, in its order, and their texts. The table is read at the first call.
var codeEntries = sync.OnceValues(func() (codes []Code, entries map[Code]*CodeEntry) {
	entries = map[Code]*CodeEntry{}
	_, table, _ := strings.Cut(strings.TrimSpace(codesTable), "\n\n") // after the table's comment
	for paragraph := range strings.SplitSeq(table, "\n\n") {
		heading, text, _ := strings.Cut(paragraph, "\n")
		name, words, _ := strings.Cut(heading, " | ")
		word, statement, _ := strings.Cut(words, " | ")
		means, do, _ := strings.Cut(text, "\n")
		severities := map[string]diag.Severity{"note": diag.Note, "warning": diag.Warning, "problem": diag.Problem}
		codes = append(codes, Code(name))
		entries[Code(name)] = &CodeEntry{diag.Entry{Name: name, Severity: severities[word], Statement: statement, Do: do}, means}
	}
	return codes, entries
})

// Entry returns the texts of a code.
func (c Code) Entry() *CodeEntry {
	_, entries := codeEntries()
	return entries[c]
}

func (c Code) String() string { return string(c) }

// MarshalText returns the code's name for JSON.
func (c Code) MarshalText() ([]byte, error) { return []byte(c), nil }

// Kind is the code of a finding: a Code of the doctor, or a diag.Code of the library's decision.
type Kind interface {
	fmt.Stringer
	encoding.TextMarshaler
}

// Codes returns every code, in the order of the table. The documentation is generated with it.
func Codes() []Code {
	codes, _ := codeEntries()
	return codes
}
