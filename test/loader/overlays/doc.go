// Package overlays tests the built library with the implicit layers of real packages: MangoHud, vkBasalt and Mesa's
// device-select layer. Each is loaded, draws with vkcube, and is switched off in every way that users have.
//
// The dynamic linker's list of libraries shows whether a layer was loaded; the loader's log is not used.
package overlays
