// Package randomworlds checks the loader in random worlds against three oracles.
//
// A world consists of random directories, manifests (good, odd, broken), variables, a settings file, drivers and layers that return any
// result from any function, and the request of a program of any version. A program in a separate process uses the loader in it: it calls
// the global functions, creates an instance (again without refused names, until there is one), and devices. The observation consists of
// the program's results, the records of the fake drivers and layers, the files that the interposer saw being opened, and the log.
//
//	stated_*_test.go     by statements: the expected observation, computed from their text alone, without the core
//	tool_test.go         by tool: the answer of "vkloader explain --json", for a program that enables no layer or extension
//	reference_test.go    by reference: Debian's libvulkan1, in worlds of its features; differences_test.go lists where it
//	                     behaves otherwise, by statement and with the reason; any other difference fails
//	generate_*_test.go   generates worlds; every fourth one for the tool, every fourth one for the reference. Half of the others have a
//	                     scene of related parts: copies of one layer, symbolic links, long paths, families of meta-layers with a
//	                     filter, device configurations by program. Some programs pass drivers, have messengers, surfaces or an
//	                     allocator, or open the library twice
//	shrink_test.go       makes a failing world smaller
//	testdata/*.txtar     the shrunk worlds of failures, which every run repeats
//
// Where the statements permit several results, or disagree, the choices of test/conformance/reasons.txt apply.
//
//	go test ./test/loader/randomworlds -args -worlds 20000 -seed 1   more of them
//	go test ./test/loader/randomworlds -args -worlds 1 -seed 77      one again
//	go test ./test/loader/randomworlds -args -seed 77 -worlds 1 -keep    the shrunk world becomes a case
package randomworlds
