// Package drivers holds the statements about finding, opening and using drivers, and about instances: each case runs
// the built library in a world of its own and judges by what scripted drivers saw and what the program got back.
package drivers
