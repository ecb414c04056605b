// Package adapters tests, with Wine, that physical devices are in the order of DXGI's adapters, with a scripted DXGI library and scripted
// drivers. On other machines it is skipped.
package adapters
