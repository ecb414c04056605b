// Package survey is the picture of a machine: what a program on it gets, as the library decides it and as children see it.
// It loads nothing itself.
//
// An Explanation is the answer of "vkloader explain", which the page of the tool reads as well. It also says how other
// interfaces name the devices that programs get: llama.cpp, CUDA, the direct rendering manager, the PCI bus, OpenGL and VA-API;
// and which variables choose a device there.
//
// A Chain is drawn from the program to its devices: as SVG, as an HTML page and as text for graphviz. The drawing lays boxes and
// words out with widths of its own, taken from the widest of the usual fonts, so that nothing overlaps and nothing is cut
// wherever the picture is shown; what has no room is shortened, and whole in the box's title. It looks at nothing: a Chain goes
// in, bytes come out, the same for the same chain.
package survey
