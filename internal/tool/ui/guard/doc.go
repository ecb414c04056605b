// Package guard decides which requests the tool's page answers: requests from the page itself, to this machine, with
// the secret. It does not depend on the pages.
//
// The printed address ends with a token, which works once. The page exchanges the token for the secret, keeps the
// secret in the tab's sessionStorage, which belongs to scheme, host and port, and sends it in a header. There is no
// cookie. Guard refuses other host names that resolve to this machine, as in DNS rebinding, and requests from other
// pages.
package guard
