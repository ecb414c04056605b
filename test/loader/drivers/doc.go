// Package drivers holds the statements about finding, opening and using drivers, and about instances: each case runs
// the built library in a world of its own and judges by the records of scripted drivers and the program's results.
package drivers
