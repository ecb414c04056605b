// Package directory makes the directories that clients of the driver service see. They are plain directories in the
// service's runtime directory; clients get a read-only descriptor of them (PRO-036 to PRO-038). Their content is the
// caller's.
package directory
