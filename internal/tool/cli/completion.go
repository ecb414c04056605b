package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"vkloader/internal/core/variables"
	"vkloader/internal/decide"
	"vkloader/internal/decide/drivers"
	"vkloader/internal/decide/explain"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/probe"
	"vkloader/internal/tool/settingsfile"
	"vkloader/internal/tool/term"
)

// completion is what a shell is told that may come next.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeWith gives the same words wherever it is asked.
func completeWith(words ...string) completion {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// completeLayers gives the names of the layers that are installed, completeDrivers those of driver manifests.
func completeLayers(s *invocation) completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		layers, _ := installedNames(s)
		return layers, cobra.ShellCompDirectiveNoFileComp
	}
}

func completeDrivers(s *invocation) completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		_, drivers := installedNames(s)
		return drivers, cobra.ShellCompDirectiveDefault // paths, too
	}
}

// completeFound gives what explain has something to say about: both.
func completeFound(s *invocation) completion {
	return func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		layers, drivers := installedNames(s)
		return append(layers, drivers...), cobra.ShellCompDirectiveDefault
	}
}

// completeManifests restricts file names to those of manifests.
func completeManifests(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeWords gives lists of words of the log.
func completeWords(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	return term.Words(settingsfile.LogWords, func(word string) string { return before + word }),
		cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeDevices gives selectors of this machine's devices, as a child lists those that programs see; it has little
// time.
func completeDevices(s *invocation) completion {
	return func(_ *cobra.Command, _ []string, typed string) (list []string, _ cobra.ShellCompDirective) {
		m, err := s.machine()
		if err != nil || m.Foreign() {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		found, err := probe.Find(s.executable, "")
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		if seen, err := decide.Devices(found, machine.WithoutVariable(m.Environ, variables.Debug.Name()), 3*time.Second); err == nil {
			for _, c := range drivers.DeviceChoices(decide.SelectedAll(seen.Devices)) {
				if long := len(c[0]) == 32 && typed == ""; !long && strings.HasPrefix(c[0], strings.ToLower(typed)) {
					list = append(list, c[0]+"\t"+term.OneLine(c[1]))
				}
			}
		}
		return list, cobra.ShellCompDirectiveNoFileComp
	}
}

// completePrograms gives the programs of PATH for the first word, and files for all.
func completePrograms(s *invocation) completion {
	return func(_ *cobra.Command, args []string, typed string) (list []string, _ cobra.ShellCompDirective) {
		if len(args) > 0 || strings.Contains(typed, "/") {
			return nil, cobra.ShellCompDirectiveDefault
		}
		seen := map[string]bool{}
		for _, directory := range filepath.SplitList(s.getenv("PATH")) {
			entries, _ := os.ReadDir(directory)
			for _, e := range entries {
				if name := e.Name(); strings.HasPrefix(name, typed) && !e.IsDir() && !seen[name] {
					if info, err := os.Stat(filepath.Join(directory, name)); err == nil && info.Mode()&0o111 != 0 && !info.IsDir() {
						seen[name] = true
						list = append(list, name)
					}
				}
			}
		}
		slices.Sort(list)
		return list, cobra.ShellCompDirectiveDefault
	}
}

// completeVariables are the names of variables, for --env.
func completeVariables(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	variables.Each(func(v variables.ID) { names = append(names, v.Name()+"=") })
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// installedNames are the names of layers and of driver manifests.
func installedNames(s *invocation) (layers, drivers []string) {
	source, err := s.source("", false)
	if err != nil {
		return nil, nil
	}
	answer, err := decide.Plan(source)
	if err != nil {
		return nil, nil
	}
	return explain.LayerNames(answer.Layers), explain.DriverNames(answer.Drivers)
}

// completes ties completions to the flags of a command; a name that is not there is a mistake in this program.
func completes(cmd *cobra.Command, flags map[string]completion) {
	for name, f := range flags {
		if err := cmd.RegisterFlagCompletionFunc(name, f); err != nil {
			panic(err)
		}
	}
}
