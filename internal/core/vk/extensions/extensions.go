package extensions

// Extension is an extension of the Vulkan API.
type Extension struct {
	Name         string
	Platform     string // "", or the registry's name of the window system or operating system
	Number       uint32
	SpecVersion  uint32
	Instance     bool   // an instance extension; else a device extension
	Known        bool   // a Linux loader knows its commands, or, for an instance extension, passes it on (INS-008)
	PromotedTo   string // core version or extension, or ""
	DeprecatedBy string
	ObsoletedBy  string
}
