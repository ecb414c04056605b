// Package guard decides which requests the page of the tool answers: those of the browser that has the token, sent to this
// machine by its own address, from the page itself. It knows nothing of what is on the page.
//
// The address that the tool prints ends with a token, which works once. The page exchanges it for a cookie. Every change
// needs a second secret, which only a page of this server can read. A name that leads to this machine, as with DNS
// rebinding, is refused, and so is a request that another page has started.
package guard
