package launch

// Program is what is run.
type Program struct {
	Path    string   // of the executable
	Args    []string // the first is its name
	Environ []string // NAME=VALUE
}
