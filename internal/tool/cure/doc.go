// Package cure tries what is said to help before it is said: a change of a variable, or a file that goes, is applied to
// what is known of a machine, and the library's decision is made again. It changes nothing on the machine.
package cure
