// Command startup measures what a program's start costs on the built library and on Debian's libvulkan1: the same probe,
// the two libraries in turn, a fresh process each time, files in the page cache. It prints medians as a table.
//
//	go run ./test/bench/startup [-runs 101]
package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// sample is one number of one run, by name.
type sample map[string]float64

// rows are what is shown, in order; the unit is part of the name.
var rows = []string{
	"loading the library, ms", "first call (instance extensions), ms", "instance layers, ms", "vkCreateInstance, ms",
	"vkEnumeratePhysicalDevices, ms", "from the start to the device list, ms", "the same again in the process, ms",
	"threads after loading", "memory by loading, kB", "threads at the end", "memory at the end, kB",
}

func main() {
	runs := flag.Int("runs", 101, "runs of each library")
	flag.Parse()
	if err := measure(*runs); err != nil {
		fmt.Fprintln(os.Stderr, "startup:", err)
		os.Exit(1)
	}
}

func measure(runs int) error {
	build, err := filepath.Abs("build")
	if err != nil {
		return err
	}
	libraries := []string{filepath.Join(build, "libvulkan.so.1"), "/usr/lib/x86_64-linux-gnu/libvulkan.so.1"}
	probe := filepath.Join(build, "libexec/vkloader/probe")
	for _, world := range []struct{ name, drivers string }{
		{"null driver", filepath.Join(build, "drivers/null_icd.json")},
		{"lavapipe", "/usr/share/vulkan/icd.d/lvp_icd.x86_64.json"},
		{"all installed drivers", ""},
	} {
		environ := []string{"HOME=/nonexistent", "PATH=" + os.Getenv("PATH")}
		if world.drivers != "" {
			environ = append(environ, "VK_DRIVER_FILES="+world.drivers)
		}
		samples := [2][]sample{}
		for run := range runs + 1 {
			for i, library := range libraries {
				s, err := once(probe, library, environ)
				if err != nil {
					return fmt.Errorf("%s on %s: %w", world.name, library, err)
				}
				if run > 0 { // the first fills the page cache
					samples[i] = append(samples[i], s)
				}
			}
		}
		fmt.Printf("\n%s, median of %d runs (lowest and highest tenth)\n\n", world.name, runs)
		fmt.Println("| | vkloader | Debian's libvulkan1 |\n| --- | ---: | ---: |")
		for _, row := range rows {
			fmt.Printf("| %s | %s | %s |\n", row, spread(samples[0], row), spread(samples[1], row))
		}
	}
	return nil
}

// once runs the probe, which lives a program's life twice.
func once(probe, library string, environ []string) (sample, error) {
	cmd := exec.Command(probe, library, "again")
	cmd.Env = environ
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	s := sample{}
	names := map[string]string{
		"load": rows[0], "enumerate extensions": rows[1], "enumerate layers": rows[2], "create instance": rows[3],
		"list devices": rows[4],
	}
	lines := bufio.NewScanner(bytes.NewReader(out))
	for lines.Scan() {
		var e struct {
			Event, Phase, After string
			Round               int
			Micros              float64 `json:"us"`
			Resident            float64 `json:"resident_kb"`
			Threads             float64
		}
		if json.Unmarshal(lines.Bytes(), &e) != nil {
			continue
		}
		switch name := names[e.Phase]; {
		case e.Event == "done" && name != "" && e.Round == 1:
			s[name] = e.Micros / 1000
			s[rows[5]] += e.Micros / 1000
		case e.Event == "done" && name != "":
			s[rows[6]] += e.Micros / 1000
		case e.Event == "usage" && e.After == "start":
			s[rows[8]] = -e.Resident
		case e.Event == "usage" && e.After == "load":
			s[rows[7]] = e.Threads
			s[rows[8]] += e.Resident
		case e.Event == "usage" && e.After == "end":
			s[rows[9]], s[rows[10]] = e.Threads, e.Resident
		}
	}
	return s, lines.Err()
}

func spread(samples []sample, row string) string {
	var values []float64
	for _, s := range samples {
		values = append(values, s[row])
	}
	slices.Sort(values)
	n := len(values)
	low, middle, high := values[n/10], values[n/2], values[n-1-n/10]
	if low == high || strings.HasSuffix(row, "kB") || strings.HasPrefix(row, "threads") {
		return fmt.Sprintf("%.0f", middle)
	}
	return fmt.Sprintf("%.2f (%.2f to %.2f)", middle, low, high)
}
