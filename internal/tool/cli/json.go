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

// Schema versions of the JSON outputs, each with its commands. A removed field or a new meaning of a field raises the
// version.
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

// output prints a command's answer as text or JSON.
type output struct {
	asJSON bool // --json
}

// option adds --json to a command. schema is the version of its answer.
func (o *output) option(cmd *cobra.Command, schema int) {
	cmd.Flags().BoolVar(&o.asJSON, "json", false, fmt.Sprintf("print JSON (schema %d)", schema))
}

// print prints an answer. text prints it as text.
func (o *output) print(s *invocation, answer any, text func()) error {
	if err := s.bound.Err(); err != nil {
		return notLooked(err)
	}
	if o.asJSON {
		return writeJSON(s, answer)
	}
	text()
	return nil
}

// judge prints an answer and returns the error of the exit code "problems" if there are problems.
func (o *output) judge(s *invocation, answer any, problems bool, text func()) error {
	err := o.print(s, answer, text)
	if err == nil && problems {
		err = exit.With(exit.Problems)
	}
	return err
}

// notLooked adds the exit code "could not examine" to an error.
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

// encodeJSON returns readable JSON: indented, without escapes for HTML, and with characters that control a terminal escaped.
func encodeJSON(value any) (string, error) {
	var text strings.Builder
	enc := json.NewEncoder(&text)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	err := enc.Encode(value)
	return term.Escaped(text.String()), err
}
