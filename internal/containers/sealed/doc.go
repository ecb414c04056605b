// Package sealed copies bytes into a memory file whose seals forbid every change. It gives each client a read-only
// descriptor of such a file, or of another one, with a separate position (PRO-009, PRO-010), and reports the
// end of a file.
package sealed
