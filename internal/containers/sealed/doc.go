// Package sealed copies bytes into a memory file whose seals forbid every change. Each client gets a separate read-only
// descriptor of a file (PRO-009, PRO-010). The package also reports when no process uses a file any more.
package sealed
