// Package pathname takes paths apart as a system writes them: by slashes, or by backslashes and drive letters, too.
//
// It never looks at a file system.
package pathname
