// Package fix makes a change that was tried, in the user's own files alone: a settings file or manifest goes, a variable gets
// another value, or none, in ~/.config/environment.d, or what another package writes there, such as a quarantine. On Windows a value
// of the registry goes, or becomes one that loaders read. What was there before is kept, for it to be given back. It judges nothing, and needs no right that the user has not.
package fix
