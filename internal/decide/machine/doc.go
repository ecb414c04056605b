// Package machine gives facts from the running machine, or from the file system below a directory, for the tool. The
// library never links it: there, the spine reads (G-5, G-6). It interprets nothing.
//
// It also opens directories in a way that others cannot turn elsewhere: part by part, by descriptors, and no link of
// somebody else's is followed. What is written then goes through the descriptor, whatever the path leads to by now.
package machine
