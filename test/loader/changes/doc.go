// Package changes tests changes of manifests, libraries, links, mounts and variables during a process that keeps calling the
// loader. The expected answers come from a new process.
package changes
