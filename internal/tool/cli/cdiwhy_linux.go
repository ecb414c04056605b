package cli

import (
	"fmt"
	"io"
	"os"
	"path"
	"strings"

	"github.com/spf13/cobra"
	"golang.org/x/sys/unix"

	"vkloader/internal/containers/cdi"
	"vkloader/internal/decide/machine"
)

func newCDIWhy(s *invocation) *cobra.Command {
	var o struct {
		output
		PID  int    `option:"pid"`
		Host string `option:"host"`
	}
	return newCommand("why", &o, cdiWhySchema, func([]string) error {
		of, err := s.subject("", false, o.PID)
		if err != nil {
			return err
		}
		m := of.source.Machine
		answer := struct {
			Schema int `json:"schema"`
			cdi.Why
		}{Schema: cdiWhySchema}
		if m.Foreign() && of.process == nil {
			answer.Why = *cdi.ExplainRoot(&m, &machine.Machine{Root: o.Host})
		} else {
			answer.Why = *cdi.Explain(&m, !m.Foreign())
		}
		return o.judge(s, answer, answer.Bad(), func() {
			fmt.Fprintf(s.out, "%s\n\n", answer.Sentence())
			printVerified(s, &answer.Verdict)
			printLines(s, "Not in the CDI file", answer.LeftOut)
			printLines(s, "To do", answer.Do)
		})
	})
}

// newCDIHook returns the command that a container runtime starts during a container's creation. It never fails the
// creation: a container without drivers is better than none.
func newCDIHook(s *invocation) *cobra.Command {
	var o struct {
		Files []string `option:"file"`  // SIZE BUILDID PATH of a file that is mounted: for verify
		Given []string `option:"given"` // an option by which the file was written: for refresh
		Left  []string `option:"left"`  // a driver that is not in the file, and why
	}
	cmd := newCommand("hook", &o, 0, func([]string) error {
		if its := containerErr(); its != nil {
			defer its.Close()
			s.errOut = io.MultiWriter(s.errOut, its)
		}
		root, err := cdi.Container(io.Reader(os.Stdin))
		if err == nil {
			err = arrangeContainer(s, root, o.Left)
		}
		if err != nil {
			s.say("no drivers for the container: %v", err)
		}
		return nil
	})
	cmd.Hidden = true
	return cmd
}

// arrangeContainer arranges drivers in a container and records the result there.
func arrangeContainer(s *invocation, root string, left []string) error {
	m := &machine.Machine{Root: root, Bound: &machine.Bound{Of: "the container's image"}}
	situation := cdi.Situation{Host: &machine.Machine{Root: s.Root}, Nodes: cdi.NodesOf(m)}
	arrangement := cdi.Arrange(m, situation)
	if err := m.Bound.Err(); err != nil {
		return err
	}
	for _, d := range arrangement.Drivers {
		if d.Refused() {
			s.say("not in the container: %s: %s", d.Name, brief(d.Why))
		}
	}
	if len(left) > 0 && arrangement.Driverless(m, situation.Nodes) {
		for _, l := range left {
			s.say("not in the container: %s", l)
		}
	}
	record := cdi.Record{Drivers: arrangement.Drivers, LeftOut: left, Nodes: situation.Nodes}
	if err := arrangement.Into(root, true); err != nil {
		s.say("in the container: %v", err)
		record.Errors = append(record.Errors, err.Error())
	}
	return record.Write(root)
}

// brief returns the first of several reasons, because a container's standard error belongs to its program.
func brief(why string) string {
	reasons := strings.Split(why, "; ")
	if len(reasons) == 1 {
		return why
	}
	return fmt.Sprintf("%s; and %d more: vkloader cdi why", reasons[0], len(reasons)-1)
}

// containerErr returns the standard error of a container that is being created, because runtimes do not show a hook's
// own standard error. The file belongs to the process that starts the hook, which later becomes the container's first
// program. containerErr returns nil if the file is unknown or is the hook's own. It never opens the standard error of a
// process outside the container.
func containerErr() io.WriteCloser {
	status, err := os.ReadFile("/proc/self/status")
	_, rest, found := strings.Cut(string(status), "\nPPid:")
	parent, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	if err != nil || !found || parent == "0" {
		return nil
	}
	parent = path.Join("/proc", parent)
	for _, space := range []string{"mnt", "pid"} {
		own, err := os.Readlink("/proc/self/ns/" + space)
		its, wrong := os.Readlink(parent + "/ns/" + space)
		if err != nil || wrong != nil || own != its {
			return nil
		}
	}
	if host, err := os.Readlink("/proc/1/ns/mnt"); err == nil { // process 1 is the host's while /proc is the host's
		if own, err := os.Readlink("/proc/self/ns/mnt"); err != nil || own == host {
			return nil
		}
	}
	its, err := os.Stat(parent + "/fd/2")
	own, wrong := os.Stderr.Stat()
	if err != nil || wrong != nil || os.SameFile(its, own) {
		return nil
	}
	f, err := os.OpenFile(parent+"/fd/2", os.O_WRONLY|os.O_APPEND|unix.O_NONBLOCK|unix.O_NOCTTY, 0)
	if err != nil {
		return nil
	}
	return f
}
