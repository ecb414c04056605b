package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"vkloader/internal/containers/activation"
	"vkloader/internal/containers/border"
	"vkloader/internal/containers/component"
	"vkloader/internal/containers/config"
	"vkloader/internal/containers/devices"
	"vkloader/internal/containers/logging"
	"vkloader/internal/containers/offer"
	"vkloader/internal/containers/protocol"
	"vkloader/internal/containers/server"
	"vkloader/internal/containers/state"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/variables"
	"vkloader/internal/decide/machine"
	"vkloader/internal/decide/trust"
	"vkloader/internal/machines"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// serving holds the options of serve.
type serving struct {
	File       string   `option:"config"`
	Directory  string   `option:"directory"`
	Set        []string `option:"set"`
	Level      string   `option:"log-level" default:"info"`
	TestSource string   `option:"test-source" hidden:"yes"` // a socket on which tests make devices
}

// configFile is the default configuration file of the service.
const configFile = "/etc/vkloader/service.json"

func newServe(s *invocation) *cobra.Command {
	o := &serving{}
	var keys strings.Builder
	config.Keys(func(name, does string) { fmt.Fprintf(&keys, "  %-25s %s\n", name, does) })
	cmd := newCommand("run", o, 0, func([]string) error { return serve(s, o) })
	cmd.Annotations = map[string]string{"keys": keys.String(), "config": configFile}
	return cmd
}

// serve runs the service.
func serve(s *invocation, o *serving) error {
	c, err := o.configuration()
	if err != nil {
		return err
	}
	source, err := s.source("", false)
	if err != nil {
		return err
	}
	source.Served = nil // the service asks no service, and not itself
	log, err := logging.New(s.errOut, o.Level, s.getenv("JOURNAL_STREAM") != "")
	if err != nil {
		return fmt.Errorf("--log-level: %w", err)
	}
	o.Directory = cmp.Or(o.Directory, serviceDirectory(s))
	options := server.Options{Log: log, Directory: o.Directory,
		Border: border.Border{Helper: []string{"/proc/self/exe", "service", "border"}}, Source: source,
		OpenDevice: c.OpenDevice, Devices: &devices.DRM{}, Tables: config.GPUTables, TestSource: o.TestSource,
		Resolver: &component.Resolver{Roots: config.PackageRoots, Step: config.StepTimeout, Log: log,
			Cache: filepath.Join(server.PrivateDirectory(o.Directory), "images")},
		State: state.Options{AllowHardware: c.AllowHardware, AllowEmulated: c.AllowEmulated,
			AllowSoftware: c.AllowSoftware, SoftwareURL: component.Absolute(c.SoftwareURL, c.Directory)}}
	if err := takeSockets(s, &options.Sockets); err != nil {
		return exit.As(exit.Problems, err)
	}
	options.Sockets.Ready = func() {
		if err := activation.Tell(s.getenv, "READY=1"); err != nil {
			log.Warn("the service manager was not notified", "why", err)
		}
	}
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT)
	defer stop()
	dump := make(chan os.Signal, 1)
	signal.Notify(dump, syscall.SIGUSR1)
	defer signal.Stop(dump)
	options.Dump = dump
	if err := server.Run(ctx, options); err != nil {
		return exit.As(exit.Problems, err)
	}
	log.Info("ended")
	return nil
}

func (o *serving) configuration() (*config.Config, error) {
	c := config.Default()
	file := cmp.Or(o.File, configFile)
	text, err := machine.ReadNamed(file, facts.MaxFile)
	switch {
	case err == nil:
		if err := trust.Path(file); err != nil {
			return nil, exit.As(exit.Problems, trust.Refused("used", err))
		}
		if err := c.Read(text); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		c.Directory = filepath.Dir(file)
	case o.File != "" || !errors.Is(err, fs.ErrNotExist):
		return nil, exit.As(exit.Problems, err)
	}
	for _, pair := range o.Set {
		if err := c.Set(pair); err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
	}
	return c, nil
}

// serviceDirectory returns the directory of the service's sockets (PRO-001).
func serviceDirectory(s *invocation) string {
	if directory := s.getenv(variables.ServiceDirectory.Name()); directory != "" {
		return directory
	}
	if runtime := s.getenv(variables.RuntimeDirectory.Name()); runtime != "" && os.Geteuid() != 0 {
		return filepath.Join(runtime, "vkloaderd")
	}
	return "/run/vkloaderd"
}

// takeSockets assigns the sockets that systemd has passed to the service.
func takeSockets(s *invocation, to *server.Sockets) error {
	sockets, err := activation.Sockets(s.getenv)
	for _, socket := range sockets {
		if strings.Contains(filepath.Base(socket.Name), "trusted") {
			to.Trusted = append(to.Trusted, socket.File)
		} else {
			to.Plain = append(to.Plain, socket.File)
		}
	}
	return err
}

// serviceStatus is the output of service status.
type serviceStatus struct {
	Schema  int             `json:"schema"`
	Socket  string          `json:"socket"`
	Health  string          `json:"health"`
	Pending []string        `json:"pending"` // the devices and components in examination
	Clients uint64          `json:"clients"` // including this command
	Waiting uint64          `json:"waiting"` // questions without an answer yet
	Machine string          `json:"machine"`
	Drivers []serviceDriver `json:"drivers"` // the machine's drivers
	LeftOut []offer.LeftOut `json:"left_out"`
	Devices []serviceDevice `json:"devices"` // devices with drivers from components
}

type serviceDriver struct {
	Name    string   `json:"name"`
	Files   []string `json:"files"`
	Devices []string `json:"devices"`
}

type serviceDevice struct {
	Name   string `json:"name"`
	Driver string `json:"driver"` // URL of the component; "": none yet
	Why    string `json:"why,omitempty"`
}

func newService(s *invocation) *cobra.Command {
	type running struct {
		Socket string `option:"socket"`
	}
	var o struct {
		output
		running
	}
	status := newCommand("status", &o, serviceSchema, func([]string) error {
		answer, err := statusOf(s, o.Socket)
		if err != nil {
			return err
		}
		return o.print(s, answer, func() { printService(s, answer) })
	})
	inspect := newCommand("inspect", &o.running, 0, func([]string) error {
		c, _, err := dialService(s, o.Socket)
		if err != nil {
			return err
		}
		defer c.Close()
		var tree json.RawMessage
		if err := document(c, protocol.Request{Method: protocol.Inspect}, &tree); err != nil {
			return err
		}
		return writeJSON(s, tree)
	})
	help := newCommand("border", &struct{}{}, 0, func([]string) error {
		if border.Help() != 0 {
			return exit.Unable("standard input: no driver service asks there")
		}
		return nil
	})
	help.Hidden = true
	for _, c := range []*cobra.Command{status, inspect} {
		c.Annotations["admin"], c.Annotations["client"] = server.AdminSocket, server.Socket
	}
	return newGroup("service run|status|inspect", newServe(s), status, inspect, help)
}

// ownMachine returns the architecture of the tool's build.
func ownMachine() string {
	m, _ := machines.Own()
	return m.Name
}

// dialService connects to the service at a socket. Without one, it connects to the administrator's socket, where no
// client waits, or to the socket for all if this user may not reach the other one.
func dialService(s *invocation, socket string) (*protocol.Client, string, error) {
	if directory := serviceDirectory(s); socket == "" {
		private := filepath.Join(server.PrivateDirectory(directory), server.AdminSocket)
		if c, err := protocol.Dial(private); err == nil {
			return c, private, nil
		}
		socket = filepath.Join(directory, server.Socket)
	}
	c, err := protocol.Dial(socket)
	if err != nil {
		var system *os.SyscallError // the outer error repeats the path
		if errors.As(err, &system) {
			err = system.Err
		}
		return nil, socket, exit.Unable("no service answers at %s: %w", socket, err)
	}
	return c, socket, nil
}

// document reads an answer that is a JSON document in a descriptor.
func document(c *protocol.Client, r protocol.Request, into any) (err error) {
	defer func() {
		if err != nil {
			err = exit.Unable("the service: %w", err)
		}
	}()
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

// inspection is the used part of the inspect tree.
type inspection struct {
	Root struct {
		Health struct {
			Status string `json:"status"`
		} `json:"fuchsia.inspect.Health"`
		Devices map[string]map[string]any `json:"devices"`
		ICDs    map[string]struct {
			Status string `json:"status"`
			URL    string `json:"component_url"`
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

func statusOf(s *invocation, name string) (*serviceStatus, error) {
	c, socket, err := dialService(s, name)
	if err != nil {
		return nil, err
	}
	defer c.Close()
	answer := &serviceStatus{Schema: serviceSchema, Socket: socket, Machine: ownMachine(), Pending: []string{},
		Drivers: []serviceDriver{}, LeftOut: []offer.LeftOut{}, Devices: []serviceDevice{}}
	var tree, after inspection
	if err := document(c, protocol.Request{Method: protocol.Inspect}, &tree); err != nil { // before any wait
		return nil, err
	}
	answer.read(&tree)
	if len(answer.Pending) > 0 {
		return answer, nil
	}
	var d offer.Document
	if err := document(c, protocol.Request{Method: protocol.MachineDrivers, Machine: &answer.Machine}, &d); err != nil {
		return nil, err
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
	if err := document(c, protocol.Request{Method: protocol.Inspect}, &after); err != nil {
		return nil, err
	}
	answer.LeftOut = append(answer.LeftOut, after.Root.Machine[answer.Machine].LeftOut...)
	return answer, nil
}

func (a *serviceStatus) read(tree *inspection) {
	root := &tree.Root
	a.Health, a.Clients, a.Waiting = root.Health.Status, root.Stats.Clients, root.Stats.Waiting
	a.Pending = append(a.Pending, root.Pending...)
	for name, properties := range root.Devices {
		active, _ := properties["active_icd"].(string) // "" without a driver
		d := serviceDevice{Name: name, Driver: root.ICDs[active].URL}
		if d.Driver == "" {
			d.Why = "no driver is listed for the device"
			for _, value := range properties {
				child, _ := value.(map[string]any)
				for _, icd := range root.ICDs {
					if icd.URL == child["component_url"] {
						d.Why = icd.URL + ": " + icd.Status
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
		health = "still searching"
	}
	fmt.Fprintf(s.out, "service at %s: %s, %s, %s\n", term.OneLine(a.Socket), health,
		term.Count(int(a.Clients), "client"), term.Count(int(a.Waiting), "waiting request"))
	for _, owner := range a.Pending {
		fmt.Fprintf(s.out, "pending: %s\n", term.OneLine(owner))
	}
	table := term.NewTable("state", "driver", "for", "contents or reason")
	for _, d := range a.Drivers {
		what := term.Count(len(d.Files), "file")
		what += term.Enclosed(", ", strings.Join(d.Devices, " "), "")
		table.Row("offered", d.Name, a.Machine, what)
	}
	for _, l := range a.LeftOut {
		table.Row("left out", l.Name, a.Machine, l.Why)
	}
	for _, d := range a.Devices {
		if d.Driver != "" {
			table.Row("offered", d.Driver, d.Name, "component")
		} else {
			table.Row("left out", "", d.Name, d.Why)
		}
	}
	table.Print(s.out, "", s.style)
}
