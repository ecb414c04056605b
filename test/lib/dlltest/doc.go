// Package dlltest writes libraries of Windows for tests.
package dlltest
