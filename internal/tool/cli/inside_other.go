//go:build !linux

package cli

// inside returns the program itself: Windows has no bundles of this kind.
func (s *invocation) inside(app string) (string, error) { return app, nil }

// removeTemporary does nothing: no image is unpacked.
func (s *invocation) removeTemporary() {}
