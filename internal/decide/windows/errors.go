package windows

import "strings"

// loadErrors has the meanings of usual errors of LoadLibrary, in words about the library.
var loadErrors = map[string]string{
	"2": "the file does not exist", "3": "the directory does not exist", "5": "access is denied",
	"8":  "not enough memory",
	"32": "another process has the file open", "53": "the network path is not found", "87": "the path is not valid",
	"123": "the path is not valid", "126": "the library, or one that it needs, is not found",
	"127": "a library that it needs lacks a function", "182": "a library that it needs lacks a function",
	"193": "it is not a library for programs of this word size", "206": "the path is too long",
	"225": "the virus scanner blocks it",
	"577": "its signature is not valid", "998": "its start code crashes", "1114": "its start code fails",
	"1260": "a policy of this PC blocks it", "1455": "not enough memory", "4551": "a policy of this PC blocks it",
	"14001": "its side-by-side configuration is not valid",
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
	if meaning := loadErrors[number]; meaning != "" {
		return message + " (" + meaning + ")"
	}
	return message
}
