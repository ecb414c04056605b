// Package dlltest writes PE files for tests.
package dlltest
