// Package programs tests the built library with programs, drivers and layers that others wrote: vulkaninfo, vkcube, the
// Khronos validation layer and Mesa, as Debian ships them. Where the two must agree, Debian's own loader runs beside it.
//
// A missing program fails the test with the name of its package. Only "make test-all" runs GFXReconstruct and SDL's testvulkan;
// elsewhere, their tests are skipped. Each test has its own directories, its own X server or compositor, and no variable of the
// user's.
package programs
