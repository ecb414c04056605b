package cli

import "github.com/spf13/cobra"

// addAsUser does nothing: a Windows process cannot become another user's.
func addAsUser(*cobra.Command, *invocation) {}

// become returns false.
func become(*invocation) (done bool, err error) { return false, nil }

// ownHomes does nothing: Windows home directories come from the user's profile.
func ownHomes(*invocation, bool) {}
