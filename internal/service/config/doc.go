// Package config reads what an operator says about the driver service: one JSON file, and single keys from the command
// line (PRO-044). It judges the values, and looks at nothing that they name.
package config
