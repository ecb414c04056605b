// Device-plugin is the allocation step of a plugin for a container orchestrator, in one program: for a GPU it prints
// the device nodes and the files that a container gets, so that Vulkan works there.
//
// usage: device-plugin [--root DIRECTORY] GPU
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"

	"vkloader/discover"
)

// Allocation lists the mounts and device nodes of a container.
type Allocation struct {
	Devices []string `json:"devices"`
	Mounts  []string `json:"mounts"` // read-only, at the same paths
}

func allocate(ctx context.Context, host *discover.Host, name string) (*Allocation, error) {
	list, err := discover.GPUs(ctx, host)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(list, func(g discover.GPU) bool { return g.Name == name })
	if at < 0 || len(list[at].Drivers) == 0 {
		return nil, fmt.Errorf("%s: %w", name, discover.ErrNoDriver)
	}
	answer, err := discover.Decide(ctx, host, discover.Program{})
	if err != nil {
		return nil, err
	}
	a := &Allocation{}
	for _, d := range answer.Drivers {
		if !slices.Contains(list[at].Drivers, d.Manifest) {
			continue
		}
		files, err := discover.Closure(ctx, host, d)
		if err != nil {
			return nil, err
		}
		a.Devices = append(a.Devices, files.NodesFor(&list[at], list)...)
		a.Mounts = append(append(a.Mounts, d.Manifest), files.Data...)
		for _, f := range files.Files {
			if !f.CLibrary { // the container has its own
				a.Mounts = append(a.Mounts, f.Path)
			}
		}
	}
	for _, paths := range []*[]string{&a.Devices, &a.Mounts} { // drivers may have some in common
		slices.Sort(*paths)
		*paths = slices.Compact(*paths)
	}
	return a, nil
}

func main() {
	root := flag.String("root", "", "the host's root `DIRECTORY`; none: this machine")
	flag.Parse()
	host := discover.Local()
	if *root != "" {
		host = discover.Root(*root)
	}
	allocation, err := allocate(context.Background(), host, flag.Arg(0))
	if err != nil {
		log.Fatal(err)
	}
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	if err := out.Encode(allocation); err != nil {
		log.Fatal(err)
	}
}
