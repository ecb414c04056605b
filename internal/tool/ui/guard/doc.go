// Package guard decides which requests the page of the tool answers: those that its own page sends, to this machine, with the
// secret. It knows nothing of the pages.
//
// The printed address ends with a token, which works once. The page exchanges it for the secret, keeps the secret in the tab's
// sessionStorage, which belongs to scheme, host and port, and sends it in a header. There is no cookie. A name that leads to this
// machine, as with DNS rebinding, is refused, and so is a request of another page.
package guard
