// Package closure lists the files that a driver or a layer needs: its library, the libraries that the dynamic linker loads
// with it, those that it opens at run time, its data and its device nodes. It also says whether the dynamic linker can load
// the library, and whether the library is a driver or a layer.
//
// It is the only place that does so: package discover, the doctor and the driver service ask it, and say the result in their
// own words. It loads nothing, and decides nothing about drivers that programs get.
package closure
