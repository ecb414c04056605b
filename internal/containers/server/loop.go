package server

import "sync"

// loop calls functions one after the other, in one goroutine. post does not wait, so these functions may call it.
type loop struct {
	mu     sync.Mutex
	queue  []func()
	ended  bool
	signal chan struct{}
}

// post queues a function, and returns false if the loop has ended.
func (l *loop) post(f func()) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return false
	}
	l.queue = append(l.queue, f)
	select {
	case l.signal <- struct{}{}:
	default:
	}
	return true
}

// run calls the posted functions until stop is closed, and then the functions posted before.
func (l *loop) run(stop <-chan struct{}) {
	for {
		select {
		case <-l.signal:
			l.drain()
		case <-stop:
			l.mu.Lock()
			l.ended = true
			l.mu.Unlock()
			l.drain()
			return
		}
	}
}

func (l *loop) drain() {
	for {
		l.mu.Lock()
		queue := l.queue
		l.queue = nil
		l.mu.Unlock()
		if len(queue) == 0 {
			return
		}
		for _, f := range queue {
			f()
		}
	}
}
