// Package reader asks for the facts of the running Windows as the library reads them: a child, the probe, has the library's own
// code for that, so that the tool decides by what the library sees. It decides nothing. Files and variables are not its part, and
// neither are copies of a system, which the tool reads itself.
package reader
