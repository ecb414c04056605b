// Package null tests the null driver with a C program that uses every kind of object through a loader, alone, with
// the validation layer and with sanitizers; its driver interface without a loader; and vulkaninfo.
package null
