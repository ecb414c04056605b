// Package examination has the doctor examine a machine with another system, by its files. Nothing is loaded or tried.
package examination
