// Package protocol is the protocol between the driver service and its clients (PRO-002): one JSON object in each
// datagram of a Unix socket of type SOCK_SEQPACKET, with file descriptors attached. It defines the methods, their
// arguments and the errors. Package server implements the methods.
package protocol
