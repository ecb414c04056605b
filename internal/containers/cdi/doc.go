// Package cdi writes, reads and examines files of the Container Device Interface that give a machine's Vulkan drivers
// to containers, and arranges the mounted files in a container. It loads no driver.
//
// A file of this package mounts everything below Directory, where no image has files. An image may have libraries of
// the same names, older or newer ones, which its own programs need; so nothing is mounted over them. When the runtime
// creates a container, a hook finds the libraries that the image lacks, and links only these into the directory that
// the image's dynamic linker searches last; it writes manifests for the working drivers into /etc/vulkan/icd.d.
package cdi
