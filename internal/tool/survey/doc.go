// Package survey joins what the library decides with what it is seen to do in a child: what a program on this machine
// gets. It loads nothing itself, and draws and prints nothing.
package survey
