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
	"vkloader/internal/tool/settings"
	"vkloader/internal/tool/term"
)

// completion returns the possible next words for a shell.
type completion = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective)

// completeWith completes from fixed words.
func completeWith(words ...string) completion {
	return cobra.FixedCompletions(words, cobra.ShellCompDirectiveNoFileComp)
}

// completeLayers completes names of installed layers, completeDrivers names and paths of driver manifests, completeFound both.
func completeLayers(s *invocation) completion  { return completeInstalled(s, true, false) }
func completeDrivers(s *invocation) completion { return completeInstalled(s, false, true) }
func completeFound(s *invocation) completion   { return completeInstalled(s, true, true) }

// completeInstalled completes names of installed layers, of driver manifests, or of both.
func completeInstalled(s *invocation, layers, drivers bool) completion {
	files := term.Either(drivers, cobra.ShellCompDirectiveDefault, cobra.ShellCompDirectiveNoFileComp)
	return func(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
		source, err := s.source("", false)
		if err != nil {
			return nil, files
		}
		answer, err := decide.Plan(source)
		if err != nil {
			return nil, files
		}
		if layers {
			names = explain.LayerNames(answer.Layers)
		}
		if drivers {
			names = append(names, explain.DriverNames(answer.Drivers)...)
		}
		return names, files
	}
}

// completeManifests completes file names of manifests.
func completeManifests(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return []string{"json"}, cobra.ShellCompDirectiveFilterFileExt
}

// completeWords completes comma-separated log words.
func completeWords(_ *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
	before := typed[:strings.LastIndexByte(typed, ',')+1]
	return term.Words(settings.LogWords, func(word string) string { return before + word }),
		cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completeDevices completes selectors of this machine's devices as programs see them. A child process lists them within a
// short time limit.
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

// completePrograms completes programs in PATH for the first word, and files for all words.
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

// completeVariables completes variable names for --env.
func completeVariables(*cobra.Command, []string, string) (names []string, _ cobra.ShellCompDirective) {
	variables.Each(func(v variables.ID) { names = append(names, v.Name()+"=") })
	return names, cobra.ShellCompDirectiveNoFileComp | cobra.ShellCompDirectiveNoSpace
}

// completes registers completions for the flags of a command. It panics for an unknown flag.
func completes(cmd *cobra.Command, flags map[string]completion) {
	for name, f := range flags {
		if err := cmd.RegisterFlagCompletionFunc(name, f); err != nil {
			panic(err)
		}
	}
}
