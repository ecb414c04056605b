package term

import (
	"fmt"
	"strings"

	"vkloader/internal/decide/wording"
)

// Size formats a number of bytes; "-" for 0.
func Size(bytes uint64) string {
	switch {
	case bytes == 0:
		return "-"
	case bytes < 1<<30:
		return fmt.Sprintf("%d MiB", (bytes+1<<19)>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

// Microseconds formats a duration in milliseconds with about three digits.
func Microseconds(us float64) string {
	ms := us / 1000
	switch {
	case ms >= 100:
		return fmt.Sprintf("%.0f ms", ms)
	case ms >= 10:
		return fmt.Sprintf("%.1f ms", ms)
	default:
		return fmt.Sprintf("%.2f ms", ms)
	}
}

// Count formats a count: "no drivers", "1 driver", "2 drivers".
func Count(n int, thing string) string {
	many := thing + "s"
	if stem, ok := strings.CutSuffix(thing, "y"); ok {
		many = stem + "ies"
	}
	switch n {
	case 0:
		return "no " + many
	case 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %s", n, many)
}

// Number formats a count with digits: "0 drivers", "1 driver".
func Number(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// Or returns text, or otherwise if text is empty.
func Or(text, otherwise string) string {
	if text == "" {
		return otherwise
	}
	return text
}

// Words is wording.Words.
func Words[T, W any](list []T, word func(T) W) []W { return wording.Words(list, word) }
