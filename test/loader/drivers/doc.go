// Package drivers tests finding, opening and using drivers, and instances. Each case runs the built library in a
// separate world, and checks the records of scripted drivers and the results of the program.
package drivers
