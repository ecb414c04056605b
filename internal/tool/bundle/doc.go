// Package bundle packs texts for a bug report, without what they say of the person: home folders, the names of users and
// of the machine.
//
// It looks at nothing: names and texts go in, an archive comes out, the same bytes for the same texts. It decides nothing
// about drivers and layers.
package bundle

// Part is one file of a bundle.
type Part struct {
	Name string // below the bundle's folder, with slashes
	What string // it is, in a line
	Text string
}
