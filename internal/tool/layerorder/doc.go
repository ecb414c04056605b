// Package layerorder keeps rules about the order of layers: one layer nearer to the program than another. It writes them
// into the settings file as a list of layers that changes nothing but the order, and checks that with the decision itself
// before anything is written. It switches no layer on or off.
package layerorder
