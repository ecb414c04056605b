package doctor

import "context"

// rule finds the findings with some codes, which no other rule makes. Each system has its function: it reads the facts that the system's
// examination has collected, and the findings of the rules before. A rule without function for a system finds nothing there.
type rule struct {
	codes   []Code
	linux   func(*exam)
	windows func(*windowsExam)
	macos   func(*macExam)
	files   bool                                          // the function for Windows reads files, which may not be there
	trial   func(*evidence, context.Context, Tries) error // after all others, if drivers and layers are loaded
}

// rules returns every rule, in the order in which they are applied. Two rules have no function: Examine compares the word sizes, and
// WithProcess a process with its program.
func rules() []rule {
	return []rule{
		{codes: []Code{RegistryStale, RegistryOff, RegistrySwitchedOff, RegistryUnread}, windows: (*windowsExam).registry},
		{codes: []Code{SDKRemoved}, macos: (*macExam).sdks},
		{codes: []Code{DriverPackage}, // with the decision's codes
			linux: (*exam).decisions, windows: (*windowsExam).decisions, macos: (*macExam).decisions},
		{codes: []Code{DirectoryUnreadable}, linux: (*exam).addClosedDirectories},
		{codes: []Code{LibraryMissing, LibraryUnreadable, LibraryForeign, LibraryNeeds, LibraryVersion, LibrarySymbol, LibraryShadowed,
			LibraryRuntime, LibraryTwice, LibraryQuarantined, DriverHeadless, DriverInterface, LayerInterface, LayerVariable},
			linux: (*exam).allLibraries, windows: (*windowsExam).libraries, macos: (*macExam).libraries, files: true},
		{codes: []Code{DriverCopies}, macos: (*macExam).copies},
		{codes: []Code{SystemFiles}, linux: (*exam).systemFiles},
		{codes: []Code{GPUNoKernelDriver, GPUOldKernelDriver, GPUNoNode, GPUPermission, GPUNouveau, GPUNoDriver, GPUDisplayOnly,
			GPUReserved, GPURemoved, GPUAsleep, GPULeftOut, GPUNoVulkan, GPUNeedsNewer, GPUUnfinished, GPUVirtual}, linux: (*exam).devices},
		{codes: []Code{NvidiaVersion}, linux: (*exam).nvidiaVersions},
		{codes: []Code{VariableHides, DriverCrashes, DriverHangs, DriverFails, DriverExits, DriverNoDevice, DriverSlow,
			DeviceNotConformant, LayerCrashes, LayerHangs, LayerFails, LayerExits, LayerLeftOut, LayerSlow,
			TogetherFails, SettingsHide, TrialRights, GPUMissing, DeviceWindowless},
			linux: (*exam).hiddenByLayer, trial: (*evidence).grow},
		{codes: []Code{DriverIdle}, linux: (*exam).idle},
		{codes: []Code{DeviceTwice}, linux: (*exam).rivals},
		{codes: []Code{NoDriver, NoDevice, SoftwareOnly},
			linux: (*exam).fallback, windows: (*windowsExam).addNoDriver, macos: (*macExam).addNoDriver, files: true},
		{codes: []Code{ServicePermission}, linux: (*exam).serviceUsers},
		{codes: []Code{ServiceDevices}, linux: (*exam).serviceDevices},
		{codes: []Code{ProgramNeeds}, linux: (*exam).programWants},
		{codes: []Code{LayerEverywhere}, windows: (*windowsExam).implicit, files: true},
		{codes: []Code{DriverTranslates}, windows: (*windowsExam).addLayered, files: true},
		{codes: []Code{LoaderMissing, LoaderBroken, LoaderOld, LoaderBundled, LoaderOther}, linux: (*exam).loaders},
		{codes: []Code{LoaderAbsent, LoaderDamaged, LoaderShadows}, windows: (*windowsExam).loaders, files: true},
		{codes: []Code{ViewLacksDriver, ViewLacksLayer}, windows: (*windowsExam).otherView},
		{codes: []Code{LeftoverOverride, LeftoverSettings, SettingsOwn, SettingsPath}, linux: (*exam).leftovers},
		{codes: []Code{ElevatedIgnores, ElevatedProgram}, linux: (*exam).elevation},
		{codes: []Code{ElevatedVariable, ElevatedUserKey}, windows: (*windowsExam).addElevatedFindings},
		{linux: (*exam).variables}, // with the decision's codes
		{codes: []Code{VariableDevice}, linux: (*exam).selections},
		{codes: []Code{LayerSettings}, linux: (*exam).layerSettings},
		{codes: []Code{VariableValue, VariableUnknown}, linux: (*exam).values},
		{codes: []Code{NotInstalled}, linux: (*exam).absence},
		{codes: []Code{LoaderIgnores}, linux: (*exam).addIgnored, windows: (*windowsExam).addIgnored},
		{codes: []Code{ProgramStatic}, linux: (*exam).static},
		{codes: []Code{OtherWordSize}},
		{codes: []Code{ProcessOldFile, ProcessDiffers}},
	}
}

// apply applies the rules to an examination of one system. find returns the function of a rule; nil: none.
func apply[Exam any](e Exam, find func(*rule) func(Exam)) {
	list := rules()
	for r := range each(list) {
		if f := find(r); f != nil {
			f(e)
		}
	}
}
