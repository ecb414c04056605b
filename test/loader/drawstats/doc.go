// Package drawstats holds the tests of the sample layer: a C program that records known numbers of draws on the null
// driver, from several threads, and prints the counts that the layer must have.
package drawstats
