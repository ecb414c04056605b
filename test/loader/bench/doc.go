// Command bench measures this loader and the system's side by side, in alternation in one run: start-up in fresh
// processes, calls in processes that are warm, instructions under valgrind. It prints tables, and says which budgets are
// met. docs/benchmarks.md describes the measurements and how to read them.
//
//	make bench BENCH="flags", or build/bench/bench [flags]
//
// It runs where there is no Go: everything it needs is in build/bench, in the directory above that (libvulkan.so.1, its
// core, drivers/), and the reference library. Exit codes: 0 measured, 1 a budget is missed (with -check), 2 wrong
// usage, 3 could not be measured.
package main
