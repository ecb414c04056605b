package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/core/facts"
	"vkloader/internal/service/offer"
	"vkloader/internal/service/protocol"
	"vkloader/internal/service/server"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// serviceStatus is what service status says.
type serviceStatus struct {
	Schema  int             `json:"schema"`
	Socket  string          `json:"socket"`
	Health  string          `json:"health"`
	Pending []string        `json:"pending"` // who is still to find something out
	Clients uint64          `json:"clients"` // this command included
	Waiting uint64          `json:"waiting"` // questions that wait for an answer
	Machine string          `json:"machine"`
	Drivers []serviceDriver `json:"drivers"` // of the machine
	LeftOut []offer.LeftOut `json:"left_out"`
	Devices []serviceDevice `json:"devices"` // with drivers from components
}

type serviceDriver struct {
	Name    string   `json:"name"`
	Files   []string `json:"files"`
	Devices []string `json:"devices"`
}

type serviceDevice struct {
	Name   string `json:"name"`
	Driver string `json:"driver"` // URL of the component; "" while there is none
	Why    string `json:"why,omitempty"`
}

func newService(s *invocation) *cobra.Command {
	var out output
	socket := ""
	cmd := &cobra.Command{
		Use:   "service status|inspect",
		Short: "Show what a running driver service offers",
		Args:  subcommandOnly,
		RunE:  func(*cobra.Command, []string) error { return nil },
	}
	cmd.PersistentFlags().StringVar(&socket, "socket", "", "the service's `SOCKET` (default "+server.Socket+" in the service's directory)")
	status := &cobra.Command{
		Use: "status", Short: "What the service offers, what is pending, and what is not offered", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			answer, err := statusOf(s, socket)
			if err != nil {
				return err
			}
			return out.print(s, answer, func() { printService(s, answer) })
		},
	}
	out.option(status, serviceSchema)
	inspect := &cobra.Command{
		Use: "inspect", Short: "The service's whole state, as JSON", Args: noArguments,
		RunE: func(*cobra.Command, []string) error {
			c, _, err := dialService(s, socket)
			if err != nil {
				return err
			}
			defer c.Close()
			tree, err := inspected(c)
			if err != nil {
				return exit.Unable("the service: %w", err)
			}
			return writeJSON(s, tree)
		},
	}
	cmd.AddCommand(status, inspect)
	return cmd
}

// ownMachine is the machine that the tool was built for.
func ownMachine() string {
	return map[string]string{"amd64": "x86_64", "386": "i386", "arm64": "aarch64"}[runtime.GOARCH]
}

// dialService connects to the service that was named, or to the usual one.
func dialService(s *invocation, socket string) (*protocol.Client, string, error) {
	if socket == "" {
		socket = filepath.Join(serviceDirectory(s), server.Socket)
	}
	c, err := protocol.Dial(socket)
	if err != nil {
		var system *os.SyscallError // the rest of the error is the path again
		if errors.As(err, &system) {
			err = system.Err
		}
		return nil, socket, exit.Unable("no service answers at %s: %w", socket, err)
	}
	return c, socket, nil
}

// document asks for something that comes as a JSON document in a descriptor.
func document(c *protocol.Client, r protocol.Request, into any) error {
	files, err := c.Ask(r, nil)
	if err != nil {
		return err
	}
	defer protocol.Discard(files)
	if len(files) != 1 {
		return errors.New("an answer without its descriptor")
	}
	text, err := io.ReadAll(io.LimitReader(files[0], facts.MaxFile))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, into)
}

// inspection is what the tool reads of the inspect tree.
type inspection struct {
	Root struct {
		Health struct {
			Status string `json:"status"`
		} `json:"fuchsia.inspect.Health"`
		Devices map[string]map[string]json.RawMessage `json:"devices"`
		ICDs    map[string]struct {
			Status string `json:"status"`
			URL    string `json:"component_url"`
			Error  string `json:"error"`
		} `json:"icds"`
		Pending []string `json:"pending"`
		Stats   struct {
			Clients uint64 `json:"clients"`
			Waiting uint64 `json:"waiting"`
		} `json:"stats"`
		Machine map[string]struct {
			LeftOut []offer.LeftOut `json:"left_out"`
		} `json:"machine_drivers"`
	} `json:"root"`
}

func inspected(c *protocol.Client) (tree json.RawMessage, err error) {
	err = document(c, protocol.Request{Method: protocol.Inspect}, &tree)
	return tree, err
}

func statusOf(s *invocation, name string) (*serviceStatus, error) {
	c, socket, err := dialService(s, name)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	var features struct{ Features uint64 }
	if _, err := c.Ask(protocol.Request{Method: protocol.Features}, &features); err != nil {
		return nil, exit.Unable("the service: %w", err)
	}
	answer := &serviceStatus{Schema: serviceSchema, Socket: socket, Pending: []string{}, Drivers: []serviceDriver{},
		LeftOut: []offer.LeftOut{}, Devices: []serviceDevice{}}
	answer.Machine = ownMachine()
	var tree inspection
	if features.Features&protocol.FeatureInspect != 0 { // before anything is waited for
		if err := document(c, protocol.Request{Method: protocol.Inspect}, &tree); err != nil {
			return nil, exit.Unable("the service: %w", err)
		}
		answer.read(&tree)
	}
	if features.Features&protocol.FeatureMachineDrivers == 0 || len(answer.Pending) > 0 {
		return answer, nil
	}
	var d offer.Document
	if err := document(c, protocol.Request{Method: protocol.MachineDrivers, Machine: &answer.Machine}, &d); err != nil {
		return nil, exit.Unable("the service: %w", err)
	}
	for _, driver := range d.Drivers {
		one := serviceDriver{Name: driver.Name, Files: []string{}, Devices: append([]string{}, driver.Devices...)}
		for _, at := range driver.Files {
			if at >= 0 && at < len(d.Files) {
				one.Files = append(one.Files, d.Files[at].Name)
			}
		}
		answer.Drivers = append(answer.Drivers, one)
	}
	if err := document(c, protocol.Request{Method: protocol.Inspect}, &tree); err != nil {
		return nil, exit.Unable("the service: %w", err)
	}
	answer.LeftOut = append(answer.LeftOut, tree.Root.Machine[answer.Machine].LeftOut...)
	return answer, nil
}

// read takes what the inspect tree says.
func (a *serviceStatus) read(tree *inspection) {
	root := &tree.Root
	a.Health, a.Clients, a.Waiting = root.Health.Status, root.Stats.Clients, root.Stats.Waiting
	a.Pending = append(a.Pending, root.Pending...)
	for name, properties := range root.Devices {
		d := serviceDevice{Name: name}
		var active string
		_ = json.Unmarshal(properties["active_icd"], &active) // "" when it is none
		if active != "" {
			d.Driver = root.ICDs[active].URL
		} else {
			d.Why = "no driver is listed for it"
			for key, value := range properties {
				var child struct {
					URL string `json:"component_url"`
				}
				if key == "active_icd" || json.Unmarshal(value, &child) != nil {
					continue
				}
				for _, icd := range root.ICDs {
					if icd.URL == child.URL {
						d.Why = child.URL + ": " + icd.Status
						if icd.Error != "" {
							d.Why += ": " + icd.Error
						}
					}
				}
			}
		}
		a.Devices = append(a.Devices, d)
	}
	slices.SortFunc(a.Devices, func(x, y serviceDevice) int { return strings.Compare(x.Name, y.Name) })
}

func printService(s *invocation, a *serviceStatus) {
	health := "ready" // STARTING_UP also stands for a service whose devices have no driver from a component
	if len(a.Pending) > 0 {
		health = "still looking"
	}
	fmt.Fprintf(s.out, "service at %s: %s, %s, %s\n", term.OneLine(a.Socket), health,
		term.Count(int(a.Clients), "client"), term.Count(int(a.Waiting), "waiting question"))
	for _, owner := range a.Pending {
		fmt.Fprintf(s.out, "pending: %s\n", term.OneLine(owner))
	}
	table := term.NewTable("", "driver", "for", "what")
	for _, d := range a.Drivers {
		what := term.Count(len(d.Files), "file")
		if len(d.Devices) > 0 {
			what += ", " + strings.Join(d.Devices, " ")
		}
		table.Row("in", d.Name, a.Machine, what)
	}
	for _, l := range a.LeftOut {
		table.Row("out", l.Name, a.Machine, l.Why)
	}
	for _, d := range a.Devices {
		if d.Driver != "" {
			table.Row("in", d.Driver, d.Name, "component")
		} else {
			table.Row("out", "", d.Name, d.Why)
		}
	}
	table.Print(s.out, "", term.StyleFor(s.out, s.getenv))
}
