// Package served reads what the driver service says: which drivers it offers, and which files each of them needs, in the
// order in which they are to be opened (docs/decisions/022).
//
// Nothing of it is trusted: every number and name is checked, and what does not fit takes out the driver that has it. It
// opens nothing, and does not look into the manifests.
package served
