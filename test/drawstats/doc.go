// Package drawstats holds the tests of the sample layer: a C program that records known numbers of draws on the null
// driver, from several threads, and says what the layer must have counted.
package drawstats
