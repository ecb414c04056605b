package settingsplace

func cleanPlace(place string) string { return place }
