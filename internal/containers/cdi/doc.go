// Package cdi writes, reads and examines files of the Container Device Interface that give a machine's Vulkan drivers to
// containers, and arranges in a container what such a file has brought. It loads no driver.
//
// What a file written here mounts lies below Directory, where no image has anything. An image may have libraries of the
// same names, older or newer ones, which its own programs need; so nothing is mounted over them. When a container is
// made, a hook looks which of the libraries the image lacks, and links only these into the directory that the image's
// dynamic linker searches last; it writes manifests for the drivers that work there into /etc/vulkan/icd.d.
package cdi
