// Package bundle packs texts for a bug report and hides personal data in them: home directories, user names and the
// machine's names.
//
// The archive's bytes depend only on the texts. The package reads the machine's users, its system, and the files that a
// decision read. It makes no decision about drivers and layers, and starts no process.
package bundle
