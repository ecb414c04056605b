// Package programs tests the built library with other projects' programs, drivers and layers: vulkaninfo, vkcube, the Khronos validation
// layer and Mesa, as Debian ships them. Where results must agree, they are compared with those of Debian's loader.
//
// A missing program fails the test with the name of its package. Only "make test-all" runs GFXReconstruct and SDL's testvulkan;
// otherwise their tests are skipped. Each test has its own directories and its own X server or compositor, and none of the user's
// variables.
package programs
