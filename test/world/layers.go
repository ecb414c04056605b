package world

// layerFlags are the variants of the fake layer that are built.
var layerFlags = map[string]string{}
