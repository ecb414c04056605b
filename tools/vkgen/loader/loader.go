package loader

import (
	"fmt"
	"slices"
	"strings"

	"vkloader/tools/vkgen/registry"
)

// Kind is the type of handle that a command is dispatched on.
type Kind int

// The values are those of COMMAND_* in spine/asm/numbers.h.
const (
	Global Kind = iota + 1
	Instance
	PhysDev
	Device // device, queue, command buffer, external compute queue
)

// ExtensionMinor is the Minor of commands that are in no core version.
const ExtensionMinor = 255

// Command is a command that the loader knows.
type Command struct {
	*registry.Command
	Kind      Kind
	Minor     int    // core version 1.Minor, or ExtensionMinor
	Extension string // first extension that adds it, "" for core commands
	Gate      string // the instance extension that gates its look-up, or ""
	Param     string // first parameter
	Exported  bool
	CoreAlias string // the core command whose trampoline and terminator it shares (GPA-030, GPA-031)
	HandUpper bool
	HandLower bool
}

// Upper returns the symbol of the trampoline.
func (c *Command) Upper() string {
	if c.CoreAlias != "" {
		return "tramp_" + c.CoreAlias
	}
	return "tramp_" + c.Name
}

// Lower returns the symbol of the terminator, or "".
func (c *Command) Lower() string {
	switch {
	case c.CoreAlias != "":
		return "term_" + c.CoreAlias
	case c.Kind == Device && !c.HandLower:
		return ""
	}
	return "term_" + c.Name
}

// Set is everything the loader knows.
type Set struct {
	System     System
	Registry   *registry.Registry
	Commands   []*Command            // core first, each part in the registry's order
	Gates      []*registry.Extension // instance extensions of INS-008, in the registry's order
	Extensions []*registry.Extension // all that are known on the system
	Notes      []string              // omitted commands, with the reason
	unplaced   []string              // commands without a rule, with the reason
	byName     map[string]*Command
}

// Find returns the command of a name, or nil.
func (s *Set) Find(name string) *Command { return s.byName[name] }

// Known reports whether an extension is one that the system's loader knows.
func (s System) Known(e *registry.Extension) bool { return slices.Contains(s.platforms, e.Platform) }

func (s System) exports(e *registry.Extension) bool {
	return slices.Contains(exported, e.Name) || slices.Contains(s.surfaces, e.Name)
}

// newSet returns a set with the extensions of a system, and without commands.
func newSet(r *registry.Registry, system System) *Set {
	s := &Set{System: system, Registry: r, byName: map[string]*Command{}}
	for _, e := range r.Extensions {
		if system.Known(e) {
			s.Extensions = append(s.Extensions, e)
			if e.Kind == "instance" {
				s.Gates = append(s.Gates, e)
			}
		}
	}
	return s
}

// each calls a function with the commands of all core versions, and then with those of the set's extensions.
func (s *Set) each(do func(name string, minor int, e *registry.Extension) error) error {
	of := func(what string, blocks []registry.Block, minor int, e *registry.Extension) error {
		for _, b := range blocks {
			for _, name := range b.Commands {
				if err := do(name, minor, e); err != nil {
					return fmt.Errorf("%s: %w", what, err)
				}
			}
		}
		return nil
	}
	for _, f := range s.Registry.Features {
		if err := of("feature "+f.Name, f.Blocks, f.Minor, nil); err != nil {
			return err
		}
	}
	for _, e := range s.Extensions {
		if err := of("extension "+e.Name, e.Blocks, ExtensionMinor, e); err != nil {
			return err
		}
	}
	return nil
}

// Select applies the rules of a system to a registry.
func Select(r *registry.Registry, system System) (*Set, error) {
	s := newSet(r, system)
	s.Notes = append(leftOut(r), missingNames(r)...)
	if err := s.each(s.add); err != nil {
		return nil, err
	}
	for _, h := range Hands {
		if c := s.byName[h.Command]; c != nil {
			c.HandUpper, c.HandLower = h.Written != "terminator", h.Written != "trampoline"
		}
	}
	for _, c := range s.Commands {
		if why := s.needsC(c); why != "" {
			s.unplaced = append(s.unplaced, c.Name+": "+why)
		}
	}
	if len(s.unplaced) > 0 {
		return nil, fmt.Errorf("no rule places these commands; write them in C, and add them to "+
			"tools/vkgen/loader/hands.txt:\n\t%s", strings.Join(s.unplaced, "\n\t"))
	}
	if list := unreplacedStructures(r); len(list) > 0 {
		return nil, fmt.Errorf(
			"these structures contain objects of the loader; replace them in C, and add the structures "+
				"to chained in "+
				"tools/vkgen/loader/exceptions.go:\n\t%s", strings.Join(list, "\n\t"))
	}
	return s, nil
}

// add adds a command of a core version or an extension. A command that the set has keeps its lowest minor version.
func (s *Set) add(name string, minor int, e *registry.Extension) error {
	if c := s.byName[name]; c != nil {
		if minor < c.Minor {
			c.Minor = minor
		}
		if e != nil && s.System.exports(e) {
			c.Exported = true
		}
		return nil
	}
	rc := s.Registry.Command(name)
	root := s.Registry.Root(rc)
	if root == nil {
		return fmt.Errorf("command %s, or the command of which it is an alias, is not defined", name)
	}
	c := &Command{Command: rc, Minor: minor, Exported: e == nil}
	if len(root.Params) > 0 {
		c.Param = root.Params[0].Name
		switch handle := root.Params[0].Type; {
		case handle == "VkInstance":
			c.Kind = Instance
		case handle == "VkPhysicalDevice":
			c.Kind = PhysDev
		case slices.Contains(deviceHandles, handle):
			c.Kind = Device
		}
	}
	if slices.Contains(global, name) {
		c.Kind, c.Param = Global, ""
	}
	if c.Kind == 0 {
		s.unplaced = append(s.unplaced, name+": "+s.missingKind(root))
		return nil
	}
	if e != nil && e.Kind != "instance" && e.Kind != "device" {
		s.unplaced = append(s.unplaced,
			fmt.Sprintf("%s: its extension %s is of the type %q, neither instance nor device",
				name, e.Name, e.Kind))
		return nil
	}
	if e != nil {
		c.Extension = e.Name
		c.Exported = s.System.exports(e)
		if e.Kind == "instance" {
			c.Gate = e.Name
			if target := s.byName[root.Name]; target != nil && target.Minor != ExtensionMinor {
				c.CoreAlias = target.Name
			}
		}
		if g := gates[name]; g != "" {
			c.Gate = g
		}
	}
	s.byName[name] = c
	s.Commands = append(s.Commands, c)
	return nil
}

// Union returns the commands and extensions of several systems, in the registry's order. Every system that knows a
// command has the same rules for it.
func Union(sets []*Set) (*Set, error) {
	any := System{Name: "any"}
	for _, s := range sets {
		any.platforms = append(any.platforms, s.System.platforms...)
	}
	u := newSet(sets[0].Registry, any)
	err := u.each(func(name string, _ int, _ *registry.Extension) error {
		for _, s := range sets {
			c, known := s.byName[name], u.byName[name]
			switch {
			case c == nil:
			case known == nil:
				u.byName[name] = c
				u.Commands = append(u.Commands, c)
			case *c != *known:
				return fmt.Errorf("%s has other rules on %s", name, s.System.Name)
			}
		}
		return nil
	})
	return u, err
}
