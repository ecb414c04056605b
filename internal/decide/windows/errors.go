package windows

import (
	"strconv"
	"strings"
)

// loadError returns the meaning of a usual error of LoadLibrary, in words about the library; "" for other errors.
func loadError(number int) string {
	switch number {
	case 2:
		return "the file does not exist"
	case 3:
		return "the directory does not exist"
	case 5:
		return "access is denied"
	case 8, 1455:
		return "not enough memory"
	case 32:
		return "another process has the file open"
	case 53:
		return "the network path is not found"
	case 87, 123:
		return "the path is not valid"
	case 126:
		return "the library, or one that it needs, is not found"
	case 127, 182:
		return "a library that it needs lacks a function"
	case 193:
		return "it is not a library for programs of this word size"
	case 206:
		return "the path is too long"
	case 225:
		return "the virus scanner blocks it"
	case 577:
		return "its signature is not valid"
	case 998:
		return "its start code crashes"
	case 1114:
		return "its start code fails"
	case 1260, 4551:
		return "a policy of this PC blocks it"
	case 14001:
		return "its side-by-side configuration is not valid"
	}
	return ""
}

// ErrorInWords adds the meaning of an error number at the end of a message about a library.
func ErrorInWords(message string) string {
	before, number := message, ""
	if at := strings.LastIndex(message, "error "); at >= 0 {
		before, number = message[:at], message[at+len("error "):]
	}
	if before != "" && !strings.ContainsAny(before[len(before)-1:], " :(") {
		return message
	}
	if n, err := strconv.ParseUint(number, 10, 31); err == nil && loadError(int(n)) != "" {
		return message + " (" + loadError(int(n)) + ")"
	}
	return message
}
