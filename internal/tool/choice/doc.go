// Package choice turns the drivers, devices and layers that somebody chooses for one program into the loader's own
// variables, and says what of the choice comes to nothing. It sets nothing and starts nothing.
package choice
