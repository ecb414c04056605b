// Package graph draws the chain from a program to its devices: as SVG, as an HTML page and as text for graphviz.
//
// It lays boxes and words out with widths of its own, taken from the widest of the usual fonts, so that nothing overlaps
// and nothing is cut wherever the picture is shown; what has no room is shortened, and whole in the box's title. It looks
// at nothing and decides nothing: a Chain goes in, bytes come out, the same for the same chain.
package graph
