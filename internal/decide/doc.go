// Package decide makes the library's decision for a program on a Host, and judges the files of the drivers and layers
// in it. Package discover turns the results into documented types; the tool uses both.
//
// The package prints nothing, writes no file, and knows no command of the tool.
package decide
