// Package overlays tests the built library with the implicit layers of real packages: MangoHud, vkBasalt and Mesa's
// device-select layer. Each is loaded, draws with vkcube, and is switched off in every way that users have.
//
// The dynamic linker's list shows whether a layer was loaded, never the loader's log.
package overlays
