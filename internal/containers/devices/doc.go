// Package devices reports the machine's graphics devices: first those that exist, then an event that the list is
// complete, then each device that appears or disappears. It opens no device.
package devices
