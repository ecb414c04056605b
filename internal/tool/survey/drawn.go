package survey

// Chain is the drawn data: a program, its loader, layers, drivers and devices.
type Chain struct {
	Schema  int           `json:"schema"`            // of the JSON form
	Program string        `json:"program"`           // its path; "": any program
	Library string        `json:"library"`           // the loader's file
	Version string        `json:"version"`           // the loader's API version
	Layers  []ChainLayer  `json:"layers"`            // from the program down
	Drivers []ChainDriver `json:"drivers"`           // in search order
	Out     []ChainOut    `json:"out"`               // found but not used
	Problem string        `json:"problem,omitempty"` // the reason for missing devices or commands
}

// ChainLayer is an active layer.
type ChainLayer struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Manifest    string   `json:"manifest"`
	Library     string   `json:"library,omitempty"`
	Meta        bool     `json:"meta,omitempty"` // the layer is a meta-layer: it has no library, and enables its component layers
	Why         string   `json:"why"`
	Statement   string   `json:"statement"`
	Off         string   `json:"off,omitempty"`          // an environment assignment that disables the layer
	Known       bool     `json:"known"`                  // commands is complete
	Unknown     string   `json:"unknown,omitempty"`      // the reason for unknown commands
	Commands    []string `json:"commands"`               // the intercepted commands, the most important first
	Problem     string   `json:"problem,omitempty"`      // the failure when it was tried alone, if it is the culprit
	Before      []string `json:"pre_instance,omitempty"` // the intercepted pre-instance commands
	NameOnly    bool     `json:"name_only,omitempty"`    // a later layer with the same name is in the chain
}

// ChainDriver is an opened driver.
type ChainDriver struct {
	Name      string        `json:"name"` // the manifest's file name
	Manifest  string        `json:"manifest"`
	Library   string        `json:"library"`
	API       string        `json:"api_version,omitempty"`
	Why       string        `json:"why"`
	Statement string        `json:"statement"`
	Off       string        `json:"off,omitempty"`
	Problem   string        `json:"problem,omitempty"`
	Known     bool          `json:"known"` // the driver's devices are known
	Devices   []ChainDevice `json:"devices"`
}

// ChainDevice is a device of a program.
type ChainDevice struct {
	Index uint32 `json:"index"`
	Name  string `json:"name"`
	Type  string `json:"type"`
	API   string `json:"api_version"`
	About string `json:"about,omitempty"` // the driver's name and version
}

// ChainOut is an unused driver or layer.
type ChainOut struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Manifest  string `json:"manifest"`
	Why       string `json:"why"`
	Statement string `json:"statement"`
	On        string `json:"on,omitempty"` // an environment assignment that enables it
}
