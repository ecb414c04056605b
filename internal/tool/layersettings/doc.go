// Package layersettings reads and writes the settings of layers: their names, types and defaults as the layer's manifest has
// them, and their values in vk_layer_settings.txt, where layers look for it. It does not know what a setting means, and
// enables no layer.
package layersettings
