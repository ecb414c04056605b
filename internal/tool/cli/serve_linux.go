package cli

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"vkloader/internal/core/variables"
	"vkloader/internal/service/activation"
	"vkloader/internal/service/component"
	"vkloader/internal/service/config"
	"vkloader/internal/service/devices"
	"vkloader/internal/service/logging"
	"vkloader/internal/service/server"
	"vkloader/internal/service/state"
	"vkloader/internal/tool/exit"
)

// serving is what the flags of serve say.
type serving struct {
	file, directory, level string
	testSource             string
	set                    []string
	logJSON, check         bool
}

// configFile is the service's file when none is named.
const configFile = "/etc/vkloader/service.json"

func newServe(s *invocation) *cobra.Command {
	o := &serving{}
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Offer this machine's drivers to containers and sandboxes",
		Long: "serve runs the driver service. It passes the files, manifests and device nodes of this machine's drivers to clients\n" +
			"over a socket, until it gets SIGTERM. It loads no driver. Keys of its configuration:\n  " +
			strings.Join(config.Keys(), "\n  ") + "\n\n" +
			"Exit codes: 0 it was told to stop, 1 it could not start, 2 wrong usage or configuration.",
		Args: noArguments,
		RunE: func(*cobra.Command, []string) error { return serve(s, o) },
	}
	f := cmd.Flags()
	f.StringVar(&o.file, "config", "", "the configuration `FILE` (default "+configFile+", if it exists)")
	f.StringVar(&o.directory, "directory", "", "`DIRECTORY` for the socket; other files are in DIRECTORY-private (default $VKLOADERD_DIR, or vkloaderd in /run or $XDG_RUNTIME_DIR)")
	f.StringArrayVar(&o.set, "set", nil, "set `KEY=VALUE` of the configuration after reading the file; may be repeated")
	f.StringVar(&o.level, "log-level", "info", "the `LEVEL` of the least serious messages in the log: debug, info, warn or error")
	f.BoolVar(&o.logJSON, "log-json", false, "write the log as JSON")
	f.StringVar(&o.testSource, "test-source", "", "a `SOCKET` on which tests make devices")
	if err := f.MarkHidden("test-source"); err != nil {
		panic(err)
	}
	f.BoolVar(&o.check, "check", false, "show what would be offered and why not more, and exit")
	return cmd
}

// serve runs the service, or checks what it would do.
func serve(s *invocation, o *serving) error {
	c, err := o.configuration()
	if err != nil {
		return err
	}
	source, err := s.source("", false)
	if err != nil {
		return err
	}
	source.Served = nil // it asks no service, least of all itself
	if o.check {
		return checkService(s, source, c)
	}
	log, err := logging.New(s.errOut, o.level, o.logJSON, s.getenv("JOURNAL_STREAM") != "")
	if err != nil {
		return fmt.Errorf("--log-level: %w", err)
	}
	if o.directory == "" {
		o.directory = serviceDirectory(s)
	}
	options := server.Options{Log: log, Directory: o.directory, Source: source, TrustedGroups: c.TrustedGroups,
		NoMachineDrivers: !c.MachineDrivers, OpenDevice: c.OpenDevice, IdleExit: c.IdleExit, Devices: &devices.DRM{}, Tables: c.GPUTables,
		TolerateMissing: c.TolerateMissing, TestSource: o.testSource,
		Resolver: resolver(c, cmp.Or(c.OCICache, filepath.Join(server.PrivateDirectory(o.directory), "images")), log), State: state.Options{AllowHardware: c.AllowHardware,
			AllowEmulated: c.AllowEmulated, AllowSoftware: c.AllowSoftware, SoftwareURL: component.Absolute(c.SoftwareURL, c.Directory),
			SoftwareMode: c.SoftwareMode, RetryFailed: c.RetryFailed, KeepStale: c.KeepStale, OldNames: c.OldNames}}
	if err := takeSockets(s, &options.Sockets); err != nil {
		return exit.As(exit.Problems, err)
	}
	if c.IdleExit > 0 && !options.Sockets.Given() {
		return errors.New("idle_exit_seconds: only for a service that is started by its socket")
	}
	options.Sockets.Ready = func() {
		if err := activation.Tell(s.getenv, "READY=1"); err != nil {
			log.Warn("the service's manager was not told", "why", err)
		}
	}
	return runService(options, log)
}

// resolver takes drivers out of packages as the configuration says.
func resolver(c *config.Config, cache string, log *slog.Logger) *component.Resolver {
	return &component.Resolver{Roots: c.PackageRoots, Cache: cache, NoSymlinks: c.NoSymlinks, Check: c.CheckLibraries,
		Step: c.StepTimeout, Log: log}
}

func runService(options server.Options, log *slog.Logger) error {
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

// configuration reads the file and the flags.
func (o *serving) configuration() (*config.Config, error) {
	c := config.Default()
	file := o.file
	if file == "" {
		file = configFile
	}
	text, err := os.ReadFile(file)
	switch {
	case err == nil:
		if err := c.Read(text); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		c.Directory = filepath.Dir(file)
	case o.file != "" || !errors.Is(err, fs.ErrNotExist):
		return nil, exit.As(exit.Problems, err)
	}
	for _, pair := range o.set {
		if err := c.Set(pair); err != nil {
			return nil, fmt.Errorf("--set: %w", err)
		}
	}
	return c, nil
}

// serviceDirectory is where the service's sockets are (PRO-001).
func serviceDirectory(s *invocation) string {
	if directory := s.getenv(variables.ServiceDirectory.Name()); directory != "" {
		return directory
	}
	if runtime := s.getenv(variables.RuntimeDirectory.Name()); runtime != "" && os.Geteuid() != 0 {
		return filepath.Join(runtime, "vkloaderd")
	}
	return "/run/vkloaderd"
}

// takeSockets sorts the sockets that the service was started with.
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
