// Package dispatch tests names and handles: what look-ups give, where calls arrive, and what bad handles do.
package dispatch
