package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"vkloader/internal/tool/exit"
	"vkloader/internal/tool/term"
)

// Numbers of the answers as JSON, each with the commands that give it. A number is raised when a field of the answer changes its
// meaning or goes.
const (
	bundleSchema        = 1 // bundle
	cdiListSchema       = 1 // cdi list
	cdiVerifySchema     = 1 // cdi verify
	cdiWhySchema        = 1 // cdi why
	chooseSchema        = 1 // env --for
	culpritSchema       = 2 // run --find-culprit
	dryRunSchema        = 1 // run --dry-run
	envSchema           = 1 // env
	explainSchema       = 1 // explain
	graphSchema         = 1 // graph
	layerSettingsSchema = 1 // settings layer
	listSchema          = 1 // list drivers, layers, devices and paths
	ociSchema           = 1 // oci
	orderSchema         = 1 // settings order
	psSchema            = 1 // ps
	quarantineSchema    = 1 // quarantine list
	serviceSchema       = 1 // service status
	validateSchema      = 1 // validate
	variableSchema      = 1 // list variables
	versionSchema       = 3 // version
)

// output is how a command prints its answer: for people, or as JSON.
type output struct {
	asJSON bool // --json
}

// option adds --json to a command; schema is the number of its answer.
func (o *output) option(cmd *cobra.Command, schema int) {
	cmd.Flags().BoolVar(&o.asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", schema))
}

// print prints an answer. text prints it for people.
func (o *output) print(s *invocation, answer any, text func()) error {
	if o.asJSON {
		return writeJSON(s, answer)
	}
	text()
	return nil
}

// judge prints an answer, and then ends the tool as one that has found problems, if there are any.
func (o *output) judge(s *invocation, answer any, problems bool, text func()) error {
	err := o.print(s, answer, text)
	if err == nil && problems {
		err = exit.With(exit.Problems)
	}
	return err
}

// notLooked ends the tool as one that could not look, if there is an error.
func notLooked(err error) error {
	if err == nil {
		return nil
	}
	return exit.As(exit.NotLooked, err)
}

// writeJSON prints an answer as JSON.
func writeJSON(s *invocation, value any) error {
	if s.answered != nil {
		s.answered(value)
	}
	text, err := encodeJSON(value)
	if err == nil {
		_, err = io.WriteString(term.Raw(s.out), text)
	}
	return err
}

// encodeJSON is JSON for people to read as well: indented, without escapes for HTML's sake, and with what could command a
// terminal escaped.
func encodeJSON(value any) (string, error) {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(value)
	return term.Escaped(text.String()), err
}
