// Package drawstats tests the sample layer with a C program that records known numbers of draws on the null driver,
// in several threads, and prints the counts that the layer must write.
package drawstats
