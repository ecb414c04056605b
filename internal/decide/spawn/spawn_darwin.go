package spawn

// descriptors is the directory of this process's descriptors.
const descriptors = "/dev/fd"

// sealRest does nothing: the directory is always there.
func sealRest() {}
