// Package cli is the commands of the tool: flags, the order of the work, and what is printed. What is found
// and why is the business of the packages below it.
package cli
