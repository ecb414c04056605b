package bundle

// Part is one file of a bundle.
type Part struct {
	Name string // below the bundle's directory, with slashes
	What string // it is, in a line
	Text string

	Failed string // why it could not be made; "": it could
}
