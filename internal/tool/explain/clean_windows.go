package explain

func cleanPlace(place string) string { return place }
