// Package null holds the tests of the null driver: a C program that uses every kind of object through a loader, alone,
// with the validation layer, and with sanitizers; the driver interface asked without a loader; and vulkaninfo.
package null
