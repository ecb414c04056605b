// Package family is the one table of the drivers that exist: how their libraries are called, which drivers of the kernel
// they work on, and by what else their devices are known. The hardware policy decides by it; doctor, the files for
// containers and the driver service use it too.
//
// It looks at no machine and decides nothing. What only the tool needs of a driver is in internal/tool/drivers.
package family
