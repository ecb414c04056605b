package cli

import (
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	specs "tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/tool/cdi"
	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/machine"
	"vkloader/internal/tool/term"
)

type ociAnswer struct {
	Schema       int      `json:"schema"`
	Image        string   `json:"image"`          // where it lies
	Name         string   `json:"name,omitempty"` // its tag
	Architecture string   `json:"architecture"`
	System       string   `json:"system"` // the operating system, as linux
	Layers       int      `json:"layers"`
	Works        bool     `json:"works"` // programs in it get Vulkan, where there is a device for one of the drivers
	Add          []string `json:"add"`   // what to do, where they get none
	cdi.Verdict
}

func newOCI(s *invocation) *cobra.Command {
	var out output
	var file, host string
	cmd := &cobra.Command{
		Use:   "oci PATH",
		Short: "Check whether Vulkan works in a container image",
		Long: "oci reads an image without unpacking it: a directory with an OCI layout, or an archive of one or of\n" +
			"\"docker save\". It shows which drivers programs in a container of this image get, what those\n" +
			"drivers lack, whether there is a loader, and what to add. With --cdi, the container also gets what\n" +
			"that file adds. Every command with --root accepts an image, too.\n\n" + exitCodesHelp,
		Args: oneArgument("an image: its archive, its directory, or the root of a container"),
		RunE: func(_ *cobra.Command, args []string) error {
			if s.root != "" {
				return fmt.Errorf("oci reads the image %s: not with --root", args[0])
			}
			if !machine.IsImage(args[0]) {
				return exit.Unable("%s: neither a directory with an OCI layout nor an archive of an image", args[0])
			}
			s.root = args[0]
			source, err := s.source("", false)
			if err != nil {
				return err
			}
			spec := &specs.Spec{}
			if file != "" {
				if spec, err = readCDI(file); err != nil {
					return err
				}
			}
			i := s.image
			answer := ociAnswer{Schema: ociSchema, Image: args[0], Name: i.Name, Architecture: i.Architecture, System: i.System,
				Layers: i.Layers, Verdict: *cdi.Verify(spec, &machine.Machine{Root: host}, &source.Machine)}
			if file == "" { // with a CDI file, the variable counts for nothing
				answer.Capabilities(&source.Machine)
			}
			answer.Works = !answer.Bad()
			answer.Add = cdi.Advice(&answer.Verdict, &source.Machine, file != "")
			return out.judge(s, answer, !answer.Works, func() { printOCI(s, &answer) })
		},
	}
	out.option(cmd, ociSchema)
	cmd.Flags().StringVar(&file, "cdi", "", "also count the drivers that this CDI `FILE` adds to containers; see vkloader cdi")
	cmd.Flags().StringVar(&host, "host", "", "the machine whose files --cdi mounts, as a `DIRECTORY` (default: this machine)")
	return cmd
}

func printOCI(s *invocation, answer *ociAnswer) {
	style := term.StyleFor(s.out, s.getenv)
	verdict := "Vulkan works in it, where there is a device for one of its drivers."
	if !answer.Works {
		verdict = style.Bad("Vulkan does not work in it.")
	}
	fmt.Fprintf(s.out, "%s: %s, for %s, %s\n%s\n\n", term.OneLine(answer.Image), term.OneLine(term.Or(answer.Name, "an image without a name")),
		term.OneLine(strings.Trim(answer.System+"/"+answer.Architecture, "/")), term.Count(answer.Layers, "layer"), verdict)
	printVerified(s, &answer.Verdict)
	printLines(s, "To add", answer.Add)
}
