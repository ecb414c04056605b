package reasons

import "strings"

// Plain returns a line of the log as a sentence about the file that it names: without the loader's function, with a pronoun
// for the file, and without the announcement that the loader skips the file, which the state of the driver or layer says.
func Plain(line, file string) string {
	function, text, found := strings.Cut(line, ": ")
	found = found && strings.Contains(function, "_") && strings.Trim(function, "abcdefghijklmnopqrstuvwxyz_") == ""
	if found {
		line = text
	}
	if file != "" && (found || strings.HasPrefix(line, file) || strings.HasPrefix(line, "Layer located at ")) {
		pairs := []string{"entire JSON file " + file, "all of it", "file size of JSON file " + file, "its size",
			"Invalid JSON file " + file + ".", "it has invalid JSON", "Manifest " + file + " missing required", "it lacks the required",
			"Layer located at " + file + " didn't find required layer", "it lacks the required", " in manifest JSON file,", ","}
		for _, name := range []string{"Driver's ICD JSON ", "ICD JSON file ", "ICD JSON ", "manifest JSON file ", "JSON file ", ""} {
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
