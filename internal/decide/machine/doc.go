// Package machine gives facts from the running machine, or from the file system below a directory, for the tool. The
// library never links it: there, the spine reads (G-5, G-6). It interprets nothing.
//
// It also opens directories in a way that other users cannot redirect: part by part, by descriptors, without following
// links of other users. Writes go through the descriptor, so a later change of the path has no effect.
package machine
