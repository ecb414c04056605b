package wording

import "strconv"

// Number returns a number with all its digits and without an exponent.
func Number(n float64) string { return strconv.FormatFloat(n, 'f', -1, 64) }
