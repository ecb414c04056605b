// Package held opens directories in a way that others cannot turn elsewhere: part by part, by descriptors, and no link of
// somebody else's is followed. What is written then goes through the descriptor, whatever the path leads to by now.
package held
