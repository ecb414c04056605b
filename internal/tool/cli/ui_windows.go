package cli

import "os/exec"

// hungUp calls end when the terminal is gone; Windows then ends the process itself.
func hungUp(func()) {}

// openPage starts a browser on a page.
func openPage(address string) (forget func(), err error) {
	return func() {}, exec.Command("rundll32", "url.dll,FileProtocolHandler", address).Start()
}
