// Package settings finds, reads and writes two settings files for the tool: the loader's, and that of layers.
//
// In the loader's file, a mark names the writer. The tool honours an expiry in the mark; loaders do not know it. The
// package replaces another program's file only on request. Packages settings and plan interpret the settings.
//
// Settings of --until-changed exclude a layer or driver. A stamp in the file identifies its library. Loaders do not
// read the stamp: when the tool runs and finds the library changed, it removes these settings.
//
// The files layer_*.go handle the settings of layers: names, types and defaults from the layer's manifest, and values
// in vk_layer_settings.txt, which layers read. The package does not know the meaning of these settings, and enables no
// layer.
package settings
