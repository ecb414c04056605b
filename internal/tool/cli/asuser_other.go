//go:build !linux

package cli

import "github.com/spf13/cobra"

// addAsUser does nothing: only on Linux, the tool becomes another user's.
func addAsUser(*cobra.Command, *invocation) {}

// become returns false.
func become(*invocation) (done bool, err error) { return false, nil }

// ownHomes does nothing: the home directories are those of the tool's user.
func ownHomes(*invocation, bool) {}
