package main

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// keyed returns the value of the first line of a file that begins with a key, after the separator.
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

// machine describes the measured machine in a line.
func machine() string {
	return fmt.Sprintf("%s, %d CPUs; %s; Linux %s", keyed("/proc/cpuinfo", "model name", ":"), runtime.NumCPU(),
		keyed("/etc/os-release", "PRETTY_NAME", "="), content("/proc/sys/kernel/osrelease"))
}

// load returns the kernel's load average of the last minute.
func load() string {
	one, _, _ := strings.Cut(content("/proc/loadavg"), " ")
	return one
}

// realFile returns the name of the file that a library's links lead to.
func realFile(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return filepath.Base(real)
	}
	return filepath.Base(path)
}
