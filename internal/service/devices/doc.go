// Package devices watches which graphics devices the machine has: what is there, then one word that this was all, then
// what comes and goes. It opens no device.
package devices
