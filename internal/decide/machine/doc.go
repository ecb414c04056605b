// Package machine reads facts of the running machine, or of the file system below a directory, for the tool. The
// library does not contain it: there, the spine reads the facts (G-5, G-6). The package does not interpret them.
//
// It also opens directories in a way that other users cannot redirect: part by part, by descriptors, without following
// links of other users. Writes go through the descriptor, so a later change of the path has no effect.
package machine
