// Package foreign gives the facts of a machine with another system: of Windows by files of its registry and a copy of its
// drives, of others by a copy of their file system. What that machine's own functions would say and files do not is
// filled in as it is on an ordinary one, and said.
//
// It decides nothing, and reads nothing of the machine that it runs on but what it is given.
package foreign
