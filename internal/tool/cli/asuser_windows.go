package cli

import "github.com/spf13/cobra"

// addAsUser adds nothing: a process of Windows does not become another user's.
func addAsUser(*cobra.Command, *invocation) {}

// become returns false.
func become(*invocation) (done bool, err error) { return false, nil }

// ownHomes changes nothing: homes of Windows come from the user's profile.
func ownHomes(*invocation) {}
