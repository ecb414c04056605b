// Package sealed puts bytes into a memory file that nothing can change any more. It gives each client a separate
// read-only descriptor, with its own position, of such bytes or of a file (PRO-009, PRO-010). It does not know what the
// bytes are.
package sealed
