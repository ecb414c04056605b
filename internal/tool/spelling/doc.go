// Package spelling finds the name that was probably meant by one that nothing has. It knows names only, not what they
// are of.
package spelling
