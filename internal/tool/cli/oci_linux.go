package cli

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"
	specs "tags.cncf.io/container-device-interface/specs-go"

	"vkloader/internal/containers/cdi"
	"vkloader/internal/tool/exit"
)

type ociAnswer struct {
	Schema int      `json:"schema"`
	Image  string   `json:"image"` // the image's root directory
	Works  bool     `json:"works"` // the image has a loader and a driver that can be loaded
	Add    []string `json:"add"`   // advice for an image without a working driver
	cdi.Verdict
}

func newOCI(s *invocation) *cobra.Command {
	var o struct {
		output
		File string `option:"cdi"`
		Host string `option:"host"`
	}
	cmd := newCommand("check DIRECTORY", &o, ociSchema, func(args []string) error {
		if s.Root != "" {
			return fmt.Errorf("cdi check examines the root %s: not with --root", args[0])
		}
		const first = "mount or unpack the image first (podman image mount)"
		if info, err := os.Stat(args[0]); err != nil {
			return exit.Unable("%w", err)
		} else if !info.IsDir() {
			return exit.Unable("%s: not a directory; %s", args[0], first)
		} else if _, err := os.Stat(filepath.Join(args[0], "oci-layout")); err == nil {
			return exit.Unable("%s: an OCI layout; %s", args[0], first)
		}
		s.Root = args[0]
		source, err := s.source("", false)
		if err != nil {
			return err
		}
		spec := &specs.Spec{}
		if o.File != "" {
			if spec, err = readCDI(o.File); err != nil {
				return err
			}
		}
		answer := ociAnswer{Schema: ociSchema, Image: args[0],
			Verdict: *cdi.Verify(spec, o.File, hostOf(s, o.Host), &source.Machine)}
		if o.File == "" { // with a CDI file, the variable has no effect
			answer.Capabilities(&source.Machine)
		}
		answer.Works = !answer.Bad()
		answer.Add = cdi.Advice(&answer.Verdict, &source.Machine, o.File != "")
		return o.judge(s, answer, !answer.Works, func() { printOCI(s, &answer) })
	})
	cmd.Args = cobra.ExactArgs(1)
	return cmd
}

func printOCI(s *invocation, answer *ociAnswer) {
	verdict := "Vulkan works in the image, where there is a device for one of its drivers."
	if !answer.Works {
		verdict = s.style.Bad("Vulkan does not work in the image.")
	}
	fmt.Fprintf(s.out, "%s\n\n", verdict)
	printVerified(s, &answer.Verdict)
	printLines(s, "To add", answer.Add)
}
