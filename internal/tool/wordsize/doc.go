// Package wordsize knows programs of the other word size: what a program is by its file, or by its Wine prefix. It examines
// no libraries.
package wordsize
