// Package mesa knows Mesa's layer that chooses a device, VK_LAYER_MESA_device_select, by its name, and the variables that
// it reads: what a value says, and what is wrong with it. It follows the documentation of Mesa's environment variables,
// reads no variable itself and asks no layer.
package mesa
