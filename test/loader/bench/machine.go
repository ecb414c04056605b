package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// keyed is the value of the first line of a file that begins with a key, after the separator.
func keyed(file, key, separator string) string {
	f, err := os.Open(file)
	if err != nil {
		return ""
	}
	defer f.Close()
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		k, v, ok := strings.Cut(lines.Text(), separator)
		if ok && strings.TrimSpace(k) == key {
			return strings.Trim(strings.TrimSpace(v), `"`)
		}
	}
	return ""
}

func content(file string) string {
	text, _ := os.ReadFile(file)
	return strings.TrimSpace(string(text))
}

// machine is a line about where it is measured.
func machine() string {
	return fmt.Sprintf("%s, %d CPUs; %s; Linux %s", keyed("/proc/cpuinfo", "model name", ":"), runtime.NumCPU(),
		keyed("/etc/os-release", "PRETTY_NAME", "="), content("/proc/sys/kernel/osrelease"))
}

// load is the number of processes that wanted a processor in the last minute, as the kernel averages it.
func load() string {
	one, _, _ := strings.Cut(content("/proc/loadavg"), " ")
	return one
}

// realFile is the name of the file that a library's links lead to.
func realFile(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return filepath.Base(real)
	}
	return filepath.Base(path)
}
