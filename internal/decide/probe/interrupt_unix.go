//go:build unix

package probe

import (
	"context"
	"os"
	"os/signal"
	"syscall"
	"time"
)

// endLimit is the longest time that a signal needs to end the tool.
const endLimit = 5 * time.Second

// Interruptible returns a context that ends when a signal such as Ctrl-C asks the tool to end; the child and all
// processes of its drivers then end, too. The caller calls done after the child's end; the tool then ends by that
// signal. Signals that were ignored when the tool started stay ignored.
func Interruptible(parent context.Context) (ctx context.Context, done func()) {
	ctx, cancel := context.WithCancel(parent)
	signals, over, ended := make(chan os.Signal, 1), make(chan struct{}), make(chan os.Signal, 1)
	for _, s := range []os.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP} {
		if !signal.Ignored(s) {
			signal.Notify(signals, s)
		}
	}
	go func() {
		select {
		case s := <-signals:
			cancel()
			ended <- s
		case <-over:
			ended <- nil
		}
	}()
	return ctx, func() {
		close(over)
		s := <-ended
		signal.Stop(signals)
		cancel()
		if number, is := s.(syscall.Signal); is {
			signal.Reset(number)
			_ = syscall.Kill(os.Getpid(), number)
			<-time.After(endLimit) // another thread may get the signal: print nothing until then
		}
	}
}
