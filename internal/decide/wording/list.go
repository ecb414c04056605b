package wording

// Words returns the results of word for each element of a list.
func Words[T, W any](list []T, word func(T) W) (words []W) {
	for _, one := range list {
		words = append(words, word(one))
	}
	return words
}
