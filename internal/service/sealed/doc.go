// Package sealed keeps bytes in memory that nobody can change any more, and gives each client a descriptor of its own for
// them or for a file: only for reading, with its own position (PRO-009, PRO-010). It does not know what the bytes are.
package sealed
