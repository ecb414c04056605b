// Package explain puts the library's decision into the order in which drivers and layers come to act, with the reason for
// each: what is in, what is out, what would change that, and where it was looked for. It decides nothing and prints
// nothing.
package explain
