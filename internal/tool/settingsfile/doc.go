// Package settingsfile finds, reads and writes two settings files for the tool: the loader's, and that of layers.
//
// In the loader's file, a mark says who wrote it. An expiry there is honoured by the tool, and loaders do not know it. The
// package never writes in place of another program's file unless told to. What the file's settings mean is the business of
// packages settings and plan.
//
// It keeps rules about the order of layers: one layer nearer to the program than another. It writes them as a list of layers
// that changes nothing but the order, and checks that with the decision itself before anything is written.
//
// It keeps quarantines: a driver or layer that the settings leave out for one program, or for all, until its file changes or a
// time is over. A file beside the settings file has what to take back and when. Loaders read neither: the tool lifts a
// quarantine when it runs.
//
// The files layer_*.go are about the settings of layers: their names, types and defaults as the layer's manifest has them,
// and their values in vk_layer_settings.txt, where layers look for it. The package does not know what such a setting means,
// and enables no layer.
package settingsfile
