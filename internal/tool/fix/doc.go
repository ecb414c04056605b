// Package fix applies tried changes to the user's own files only: it removes a settings file or manifest, changes a
// variable in ~/.config/environment.d, or lets another package write, for example a quarantine. On Windows it deletes a
// registry value or makes it valid for loaders. It saves the earlier content for an undo. It makes no decision, and
// needs no rights beyond the user's.
package fix
