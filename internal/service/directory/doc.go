// Package directory makes the directories that clients of the driver service look into: plain ones, in the service's own
// runtime directory, which clients get a descriptor of that only reads (PRO-036 to PRO-038). It does not know what is in
// them.
package directory
