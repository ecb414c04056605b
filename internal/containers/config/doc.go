// Package config reads the configuration of the driver service: one JSON file, and single keys from the command line
// (PRO-044). It checks the values, but does not examine the files and directories that they name.
package config
