// Package adapters tests, below Wine, that physical devices come in the order of DXGI's adapters, with a DXGI library and
// drivers that do what their scripts say. On other machines it is left out.
package adapters
