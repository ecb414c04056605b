// Package overlays tests the built library with the implicit layers of real packages: MangoHud, vkBasalt and Mesa's
// device-select layer. Each is loaded, draws with vkcube, and is switched off in every way that users have.
//
// Whether a layer was there is what the dynamic linker says, never what the loader logs.
package overlays
