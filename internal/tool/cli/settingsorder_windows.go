package cli

import "github.com/spf13/cobra"

// orderUse is in the usage of settings: there are no rules about the order of layers here.
const orderUse = ""

func settingsOfSystem(*invocation) []*cobra.Command { return nil }
