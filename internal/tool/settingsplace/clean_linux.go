package settingsplace

import "path"

func cleanPlace(place string) string { return path.Clean(place) }
