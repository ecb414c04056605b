package reasons

import "strings"

// Plain returns a line of the log as a sentence about the file that it names: without the loader's function, with a
// pronoun for the file, and without the announcement that the loader skips the file, which the state of the driver or
// layer says.
func Plain(line, file string) string {
	function, text, found := strings.Cut(line, ": ")
	found = found && strings.Contains(function, "_") && strings.Trim(function, "abcdefghijklmnopqrstuvwxyz_") == ""
	if found {
		line = text
	}
	if file != "" && (found || strings.HasPrefix(line, file)) {
		pairs := []string{"entire JSON file " + file, "all of it", "file size of JSON file " + file, "its size",
			"Invalid JSON file " + file + ".", "it has invalid JSON"}
		for _, name := range []string{"Driver's ICD JSON ", "JSON file ", ""} {
			pairs = append(pairs, name+file+" '", "its '", name+file, "it")
		}
		line = strings.NewReplacer(pairs...).Replace(line)
		line = strings.ToLower(line[:1]) + line[1:]
	}
	for _, what := range []string{"kipping this ", "kipping ICD JSON", "kipping Layer."} {
		if before, _, found := strings.Cut(line, what); found {
			line = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(before, "Ss"), "so "), " .,")
		}
	}
	return line
}
