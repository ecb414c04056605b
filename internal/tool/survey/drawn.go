package survey

// Chain is what is drawn: from the program down to the devices.
type Chain struct {
	Schema  int           `json:"schema"`            // of the JSON form
	Program string        `json:"program"`           // its path; "": any
	Library string        `json:"library"`           // the loader's
	Version string        `json:"version"`           // of the API that it offers
	Layers  []ChainLayer  `json:"layers"`            // from the program down
	Drivers []ChainDriver `json:"drivers"`           // in the order they are found
	Out     []ChainOut    `json:"out"`               // found, and not used
	Problem string        `json:"problem,omitempty"` // why the devices may not be all, or why commands are not known
}

// ChainLayer is one that is active.
type ChainLayer struct {
	Name        string   `json:"name"`
	Description string   `json:"description,omitempty"`
	Manifest    string   `json:"manifest"`
	Library     string   `json:"library,omitempty"`
	Meta        bool     `json:"meta,omitempty"` // the layer is a meta-layer: it has no library, and enables its component layers
	Why         string   `json:"why"`
	Statement   string   `json:"statement"`
	Off         string   `json:"off,omitempty"`          // a line for the environment that puts it out
	Known       bool     `json:"known"`                  // Commands are what it intercepts
	Unknown     string   `json:"unknown,omitempty"`      // why they are not known
	Commands    []string `json:"commands"`               // those that matter most first: create, present, submit
	Problem     string   `json:"problem,omitempty"`      // how it failed when it was tried alone: it is the culprit
	Before      []string `json:"pre_instance,omitempty"` // global commands that it takes before there is an instance
	NameOnly    bool     `json:"name_only,omitempty"`    // a later layer of its name is in the chain
}

// ChainDriver is one that is opened.
type ChainDriver struct {
	Name      string        `json:"name"` // of the manifest's file
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

// ChainDevice is one that a program is shown.
type ChainDevice struct {
	Index uint32 `json:"index"`
	Name  string `json:"name"`
	Type  string `json:"type"`
	API   string `json:"api_version"`
	About string `json:"about,omitempty"` // the driver's own name and version
}

// ChainOut is a driver or layer that was found and is not used.
type ChainOut struct {
	Kind      string `json:"kind"`
	Name      string `json:"name"`
	Manifest  string `json:"manifest"`
	Why       string `json:"why"`
	Statement string `json:"statement"`
	On        string `json:"on,omitempty"` // a line for the environment that puts it in
}
