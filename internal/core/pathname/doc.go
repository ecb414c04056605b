// Package pathname splits paths as a system writes them: at slashes, or also at backslashes and drive letters.
//
// It never accesses a file system.
package pathname
