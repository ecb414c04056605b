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

// mountListed tells whether the mount of an open file is among the process's mounts: info is of /proc/self/fdinfo, mounts is
// /proc/self/mountinfo.
func mountListed(info, mounts string) bool {
	for line := range strings.Lines(info) {
		if number, found := strings.CutPrefix(line, "mnt_id:"); found {
			return strings.Contains("\n"+mounts, "\n"+strings.TrimSpace(number)+" ")
		}
	}
	return false
}

// unlisted tells whether the mount that a directory is in is not among the process's mounts, as in a chroot whose root is no
// mount point. There the library cannot know the type of the file system, and reads every file each time.
func unlisted(directory string) bool {
	f, err := os.Open(directory)
	if err != nil {
		return false
	}
	defer f.Close()
	return !mountListed(content(fmt.Sprintf("/proc/self/fdinfo/%d", f.Fd())), content("/proc/self/mountinfo"))
}

// realFile is the name of the file that a library's links lead to.
func realFile(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return filepath.Base(real)
	}
	return filepath.Base(path)
}
