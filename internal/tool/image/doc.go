// Package image reads the image of a container as a file system, without unpacking it: a directory with an OCI layout, or
// an archive of one or of "docker save". Layers are plain or compressed with gzip, and laid on each other with their
// whiteouts. What an image says is never followed out of it.
package image
