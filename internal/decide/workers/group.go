// Package workers starts functions in goroutines and waits for them.
package workers

import "sync"

// Group is a sync.WaitGroup with the method Go that Go 1.24 lacks.
type Group struct{ sync.WaitGroup }

// Go calls a function in a goroutine of the group.
func (g *Group) Go(f func()) {
	g.Add(1)
	go func() {
		defer g.Done()
		f()
	}()
}
