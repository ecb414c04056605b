package explain

import "path"

func cleanPlace(place string) string { return path.Clean(place) }
