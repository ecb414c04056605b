// Package loaderlog reads the loader's log. Its lines are interface (LOG-9, LOG-17, LOG-18, LAY-423 to LAY-427): what only
// the running library knows reaches the tool through them. The package runs nothing and decides nothing.
package loaderlog
