package windows

import "strings"

// exempt are the directories below System32 that are not redirected for 32-bit programs.
var exempt = []string{`catroot`, `catroot2`, `driverstore`, `drivers\etc`, `logfiles`, `spool`}

// Redirected returns the path that a 32-bit program on a 64-bit system gets for a path: SysWOW64 instead of System32,
// except for the exempt directories.
func Redirected(path string) string { return redirect(path, "SysWOW64") }

// Directed returns the path by which a 32-bit program on a 64-bit system reaches the file of a 64-bit program's path.
func Directed(path string) string { return redirect(path, "Sysnative") }

func redirect(path, to string) string {
	const system = `\windows\system32`
	plain := strings.ToLower(strings.ReplaceAll(path, "/", `\`))
	if len(plain) < 2 || plain[1] != ':' || !strings.HasPrefix(plain[2:], system) {
		return path
	}
	rest := plain[2+len(system):]
	if rest != "" && rest[0] != '\\' {
		return path
	}
	for _, directory := range exempt {
		if below, is := strings.CutPrefix(rest, `\`+directory); is && (below == "" || below[0] == '\\') {
			return path
		}
	}
	return path[:2+len(`\windows\`)] + to + path[2+len(system):]
}
