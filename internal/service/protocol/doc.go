// Package protocol is how the driver service and its clients speak (PRO-002): one JSON object in each datagram of a
// Unix socket of type SOCK_SEQPACKET, with file descriptors beside it. It knows the methods, their arguments and the
// errors; what a method does is for the server to know.
package protocol
