// Package machine gives facts from the running machine, or from the file system below a directory, for the tool. The
// library never links it: there, the spine reads (G-5, G-6). It interprets nothing.
//
// OpenImage reads the image of a container as such a file system, without unpacking it: a directory with an OCI layout, or
// an archive of one or of "docker save". Layers are plain or compressed with gzip, and laid on each other with their
// whiteouts. What an image says is never followed out of it.
//
// It also opens directories in a way that others cannot turn elsewhere: part by part, by descriptors, and no link of
// somebody else's is followed. What is written then goes through the descriptor, whatever the path leads to by now.
package machine
