// Package driverfiles knows what drivers use beside the files that their libraries say they need: libraries that they
// open when they run, files of data, and device nodes. It knows drivers by their libraries' names, and opens nothing.
package driverfiles
