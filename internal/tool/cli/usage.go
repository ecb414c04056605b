package cli

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"vkloader/internal/tool/term"
)

// words are a command's words without the program's name, as its errors begin with them.
func words(cmd *cobra.Command) string {
	_, rest, _ := strings.Cut(cmd.CommandPath(), " ")
	return rest
}

// noArguments are the arguments of a command that takes options only.
func noArguments(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return fmt.Errorf("%s takes no arguments, got %q", words(cmd), args[0])
}

// oneArgument wants one argument; what says which.
func oneArgument(what string) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch len(args) {
		case 0:
			return fmt.Errorf("%s needs %s", words(cmd), what)
		case 1:
			return nil
		}
		return fmt.Errorf("%s needs %s, got %d arguments", words(cmd), what, len(args))
	}
}

// oneOf wants one of a command's valid words; with optional, or none.
func oneOf(optional bool) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		list := choice(cmd.ValidArgs)
		switch {
		case len(args) == 0 && optional:
			return nil
		case len(args) == 0:
			return fmt.Errorf("%s: %s?", words(cmd), list)
		case len(args) > 1:
			return fmt.Errorf("%s takes one argument, %s; got %d", words(cmd), list, len(args))
		case !slices.Contains(cmd.ValidArgs, args[0]):
			return fmt.Errorf("%s: %s? %q is none of them%s", words(cmd), list, args[0], term.DidYouMean(args[0], cmd.ValidArgs))
		}
		return nil
	}
}

// choice lists words of which one is wanted.
func choice(list []string) string {
	if len(list) < 2 {
		return strings.Join(list, "")
	}
	return strings.Join(list[:len(list)-1], ", ") + " or " + list[len(list)-1]
}

// subcommands are the names of the commands below a command.
func subcommands(cmd *cobra.Command) (list []string) {
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() || c.Name() == "help" {
			list = append(list, c.Name())
		}
	}
	return list
}

// knownSubcommand refuses the name of a command that there is not.
func knownSubcommand(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	list := subcommands(cmd)
	if !cmd.HasParent() {
		return fmt.Errorf("there is no command %q%s", args[0], term.Or(term.DidYouMean(args[0], list), "; see vkloader help"))
	}
	return fmt.Errorf("there is no command %q; %s has %s%s", words(cmd)+" "+args[0], words(cmd), strings.Join(list, ", "),
		term.DidYouMean(args[0], list))
}

// subcommandOnly is for a command that does nothing by itself.
func subcommandOnly(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return knownSubcommand(cmd, args)
	}
	return fmt.Errorf("%s: %s?", words(cmd), choice(subcommands(cmd)))
}

// showing makes a command without a subcommand do what its subcommand show does, with the same options.
func showing(cmd, show *cobra.Command) {
	cmd.Args = knownSubcommand
	cmd.Flags().AddFlagSet(show.Flags())
	cmd.RunE = func(*cobra.Command, []string) error { return show.RunE(show, nil) }
}

// flagError says what is wrong with an option in the tool's own words.
func flagError(cmd *cobra.Command, err error) error {
	var missing *pflag.NotExistError
	var bare *pflag.ValueRequiredError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &missing):
		return unknownFlag(cmd, missing)
	case errors.As(err, &bare):
		value, _ := pflag.UnquoteUsage(bare.GetFlag())
		return fmt.Errorf("--%s needs a value: %s", bare.GetFlag().Name, term.Or(value, "one more argument"))
	case errors.As(err, &invalid):
		return fmt.Errorf("--%s %s", invalid.GetFlag().Name, valueWanted(invalid.GetFlag().Value.Type(), invalid.GetValue()))
	}
	return err
}

func unknownFlag(cmd *cobra.Command, missing *pflag.NotExistError) error {
	name := missing.GetSpecifiedName()
	of := strings.TrimSpace("vkloader " + words(cmd))
	if missing.GetSpecifiedShortnames() != "" {
		return fmt.Errorf("%s has no option -%s; see %s --help", of, name, of)
	}
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if !f.Hidden {
			names = append(names, f.Name)
		}
	})
	if near := term.NearestName(name, names); near != "" {
		return fmt.Errorf("%s has no option --%s; did you mean --%s?", of, name, near)
	}
	return fmt.Errorf("%s has no option --%s; see %s --help", of, name, of)
}

// valueWanted says which values an option of a type takes.
func valueWanted(kind, got string) string {
	switch kind {
	case "duration":
		if n, err := strconv.Atoi(got); err == nil {
			return fmt.Sprintf("wants a time with its unit: %ds for seconds, %dm for minutes", n, n)
		}
		return fmt.Sprintf("wants a time with its unit, such as 5s or 2m, got %q", got)
	case "bool":
		return fmt.Sprintf("wants true or false, got %q", got)
	case "int", "int64", "int32", "uint", "uint64", "uint32":
		return fmt.Sprintf("wants a whole number, got %q", got)
	}
	return fmt.Sprintf("does not take %q", got)
}

// zeroIsNoLimit is the annotation of a flag with a time that may be 0.
var zeroIsNoLimit = map[string][]string{"zero": {"no limit"}}

// possible refuses times that are over when they begin, and numbers that no process has.
func possible(cmd *cobra.Command) (err error) {
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if pid, parsed := strconv.Atoi(f.Value.String()); f.Name == "pid" && parsed == nil && pid <= 0 && err == nil {
			err = fmt.Errorf("--pid needs the number of a process, got %s", f.Value)
		}
		if length, parsed := time.ParseDuration(f.Value.String()); f.Value.Type() == "duration" && parsed == nil && length <= 0 && err == nil {
			if length == 0 && f.Annotations["zero"] != nil {
				return
			}
			err = fmt.Errorf("--%s needs a time longer than 0, got %s", f.Name, f.Value)
		}
	})
	return err
}
