// Command bench measures this loader and the system's in one run, alternately: start-up in new processes, calls in warm
// processes, and instructions under valgrind. It prints tables, and reports the budgets that are met. docs/benchmarks.md
// describes the measurements and how to read them.
//
//	make bench BENCH="flags", or build/bench/bench [flags]
//
// It does not need Go: its files are in build/bench, in the directory above (libvulkan.so.1, its core, drivers/), and the
// reference library. Exit codes: 0 measured, 1 a budget is missed (with -check), 2 wrong usage, 3 a measurement failed.
package main
