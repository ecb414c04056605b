// Package facts tests that the two readers of a Linux machine agree: the library's, in C, and the tool's, in Go. The core
// asks each of them the same questions in the same world, and every answer of one is compared with the other's.
package facts
