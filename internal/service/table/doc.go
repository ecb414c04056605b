// Package table reads which drivers are for which device: the files that an operator or a distribution puts there, in the
// place of what a device itself would be asked for (PRO-028). It opens nothing but these files.
package table
