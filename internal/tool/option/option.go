// Package option makes the options of a command from the fields of a struct, and the words of a command line from their
// values. It knows no command and no text of a help.
//
// The tag "option" of a field names its option, and after a comma its letter. Further tags: "default"; "words" for an
// option that takes one of some words; "needs" for the options of which it needs one; "excludes"; "systems" for an
// option that not every system has; "hidden".
package option

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/spf13/pflag"

	"vkloader/internal/tool/term"
)

// each calls do for the fields with an option, also for those of embedded structs.
func each(options reflect.Value, do func(field reflect.StructField, value reflect.Value)) {
	for i := range options.NumField() {
		field := options.Type().Field(i)
		if field.Tag.Get("option") != "" {
			do(field, options.Field(i))
		} else if field.Anonymous && field.Type.Kind() == reflect.Struct {
			each(options.Field(i), do)
		}
	}
}

// Add adds the options in the fields of a struct, whose values are the defaults.
func Add(flags *pflag.FlagSet, options any) {
	each(reflect.ValueOf(options).Elem(), func(field reflect.StructField, value reflect.Value) {
		if systems := field.Tag.Get("systems"); systems != "" && !strings.Contains(systems, runtime.GOOS) {
			return
		}
		name, letter, _ := strings.Cut(field.Tag.Get("option"), ",")
		words := strings.Fields(field.Tag.Get("words"))
		switch to := value.Addr().Interface().(type) {
		case *bool:
			flags.BoolVarP(to, name, letter, *to, "")
		case *int:
			flags.IntVarP(to, name, letter, *to, "")
		case *[]string:
			flags.StringArrayVarP(to, name, letter, *to, "")
		case *time.Duration:
			flags.VarP(limit{to}, name, letter, "")
		case *string:
			if len(words) == 0 {
				flags.StringVarP(to, name, letter, *to, "")
			} else {
				flags.VarP(Choice{to, words}, name, letter, "")
			}
		default:
			flags.VarP(list{value}, name, letter, "")
		}
		flag := flags.Lookup(name)
		if text := field.Tag.Get("default"); text != "" {
			_ = flag.Value.Set(text)
			flag.DefValue = flag.Value.String()
		}
		flag.Hidden = field.Tag.Get("hidden") != ""
		flag.Annotations = map[string][]string{}
		for _, relation := range []string{"needs", "excludes"} {
			flag.Annotations[relation] = strings.Fields(field.Tag.Get(relation))
		}
	})
}

// Check returns an error for an option whose needs are not given, or with an option that it excludes.
func Check(flags *pflag.FlagSet) (err error) {
	flags.Visit(func(f *pflag.Flag) {
		needs, others := f.Annotations["needs"], []string{f.Name}
		for _, name := range f.Annotations["excludes"] {
			if flags.Changed(name) {
				others = append(others, name)
			}
		}
		switch {
		case err != nil:
		case len(needs) > 0 && !slices.ContainsFunc(needs, flags.Changed):
			err = fmt.Errorf("--%s needs --%s", f.Name, strings.Join(needs, " or --"))
		case len(others) > 1:
			slices.Sort(others)
			err = fmt.Errorf("--%s exclude each other", strings.Join(others, " and --"))
		}
	})
	return err
}

// Words returns the words of a command line that gives the options other than their defaults.
func Words(options any) (words []string) {
	each(reflect.ValueOf(options).Elem(), func(field reflect.StructField, value reflect.Value) {
		name, _, _ := strings.Cut(field.Tag.Get("option"), ",")
		switch text := fmt.Sprint(value); {
		case value.Kind() == reflect.Slice:
			for i := range value.Len() {
				words = append(words, "--"+name, fmt.Sprint(value.Index(i)))
			}
		case value.IsZero() || text == field.Tag.Get("default"):
		case value.Kind() == reflect.Bool:
			words = append(words, "--"+name)
		default:
			words = append(words, "--"+name, text)
		}
	})
	return words
}

// Choice is the value of an option that takes one of some words.
type Choice struct {
	Value *string
	Words []string
}

func (c Choice) String() string { return *c.Value }

// Type implements pflag.Value.
func (c Choice) Type() string { return "word" }

// Set implements pflag.Value.
func (c Choice) Set(text string) error {
	if !slices.Contains(c.Words, text) {
		return errors.New("it must be " + term.Choice(c.Words))
	}
	*c.Value = text
	return nil
}

// limit is the value of an option with a time that must pass. The zero value has no text.
type limit struct{ value *time.Duration }

func (l limit) String() string { return term.Either(*l.value == 0, "", l.value.String()) }

// Type implements pflag.Value.
func (l limit) Type() string { return "duration" }

// Set implements pflag.Value.
func (l limit) Set(text string) error {
	value, err := time.ParseDuration(text)
	if err != nil || value <= 0 {
		return errors.New("it must be a time above zero, as 10s")
	}
	*l.value = value
	return nil
}

// list is the value of an option that may be repeated, each time with the text of an element.
type list struct{ elements reflect.Value }

func (l list) String() string { return "" }

// Type implements pflag.Value.
func (l list) Type() string { return "value" }

// Set implements pflag.Value.
func (l list) Set(text string) error {
	one := reflect.New(l.elements.Type().Elem())
	err := one.Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
	if err == nil {
		l.elements.Set(reflect.Append(l.elements, one.Elem()))
	}
	return err
}
