// Package table reads the table of drivers by device. The table consists of files from an operator or a distribution.
// On Fuchsia, the device itself gives this information (PRO-028). The package opens only these files.
package table
