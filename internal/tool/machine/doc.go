// Package machine gives facts from the running machine, or from the file system below a directory, for the tool. The
// library never links it: there, the spine reads (G-5, G-6). It interprets nothing.
package machine
