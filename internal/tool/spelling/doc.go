// Package spelling finds the closest known name to a misspelling. It knows names only, not what they name.
package spelling
