// Package bundle packs texts for a bug report, without what they say of the person: home directories, the names of users
// and of the machine.
//
// The archive has the same bytes for the same texts. Of the machine the package reads who there is, what system it is,
// and the files that a decision looked at; it decides nothing about drivers and layers, and runs nothing.
package bundle
