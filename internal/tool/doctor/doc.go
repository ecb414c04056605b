// Package doctor examines the whole way from a program to its GPU: devices and their nodes, kernel drivers, manifests,
// libraries with everything that they need, loader files, leftovers, variables, sandboxes.
//
// It reads files of a machine and asks the library's own decision. It loads no driver and starts no process unless the
// caller asks for a probe: then child processes load each driver and layer. One table of codes describes every finding;
// the documentation is generated from it.
//
// It examines a machine with another system by its files alone, and loads nothing from it.
//
// The file steps.go is the beginning: Examine and Try are the steps to a report, in their order:
//
//   - steps.go, windows.go and macos.go collect the facts of a machine; macos.go also those of machines with further
//     systems.
//   - steps.go lists the rules of Linux, too: each makes some codes of findings; each subject has a file.
//   - fixes.go tries changes on a copy of the facts, and causes.go finds the findings behind others.
//   - tries.go runs child processes, and evidence.go and probed.go turn their results into findings. causes.go weighs
//     all findings.
//   - codes.txt has the codes, systems.txt the lines of each fix on each system, packages.txt the packages of libraries
//     and layers, places.txt the places to look in, and names.txt known names; say.go and advice.go have sentences and
//     fixes, and verdict.go the report in one line.
package doctor
