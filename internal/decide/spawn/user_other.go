//go:build !linux

package spawn

import "errors"

// relay is empty: only Linux has children of other users.
type relay struct{}

func (*relay) begin(*Child, error) {}
func (*relay) wait()               {}

func (*Child) become() error { return errors.ErrUnsupported }
