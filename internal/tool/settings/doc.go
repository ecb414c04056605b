// Package settings finds, reads and writes two settings files for the tool: the loader's, and that of layers.
//
// In the loader's file, a mark names the writer. The tool honours an expiry in the mark; loaders do not know it. The package
// replaces another program's file only on request. Packages settings and plan interpret the settings.
//
// The package keeps rules about the order of layers: one layer is nearer to the program than another. It writes them as a
// list of layers that changes only the order, and checks this with the decision before it writes the file.
//
// The package keeps quarantines: the settings exclude a driver or layer for one program, or for all, until its file changes
// or the quarantine expires. A state file beside the settings file records the change to undo, and the expiry. Loaders read
// neither: the tool lifts a quarantine when it runs.
//
// The files layer_*.go handle the settings of layers: names, types and defaults from the layer's manifest, and values in
// vk_layer_settings.txt, which layers read. The package does not know the meaning of these settings, and enables no layer.
package settings
