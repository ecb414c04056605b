// Package family has the only table of known Vulkan drivers: the names of their libraries, the kernel drivers that they
// work with, and the vendors and nodes of their devices. The hardware policy, doctor, the files for containers and the
// driver service use this table.
//
// The package examines no machine and decides nothing. internal/decide/drivers has what only the tool needs to know of a
// driver.
package family
