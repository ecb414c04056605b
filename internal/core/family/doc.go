// Package family has the table of known Vulkan drivers: the names of their libraries, their kernel drivers, and the
// vendors and nodes of their devices. The hardware policy, doctor, the files for containers and the driver service use
// this table.
//
// The package examines no machine and decides nothing. Facts about drivers for the tool alone are in
// internal/decide/drivers.
package family
