// Package world makes a fake world for one case: a temporary root with manifests, copies of the scripted fake drivers
// and layers, a clean environment, and the host program in a process of its own on the loader under test. The
// fakes' records show the events, not the loader's log.
//
// It never looks into the loader, and nothing of the machine's own Vulkan set-up is visible in a case.
package world
