// Package instance tests what programs see of drivers and instances.
package instance
