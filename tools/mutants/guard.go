package main

import (
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Exit codes of the guard itself, in place of the program's.
const (
	exitLate = 124 // the limit was reached
)

// largestFile ends a program that writes its log without end.
const largestFile = 1 << 30

// guard runs a program to its end, and then ends all processes that the program has started, so that a faulty loader
// leaves none behind. It also ends everything after the limit, on SIGTERM, or when its parent dies. It runs as a
// separate process:
//
//	mutants guard LIMIT PROGRAM ARGUMENT...
func guard(args []string) int {
	limit, err := time.ParseDuration(args[0])
	if err != nil {
		return 2
	}
	const prSetChildSubreaper, prSetPdeathsig = 36, 1
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetChildSubreaper, 1, 0)
	syscall.RawSyscall(syscall.SYS_PRCTL, prSetPdeathsig, uintptr(syscall.SIGTERM), 0)
	asked := make(chan os.Signal, 1)
	signal.Notify(asked, syscall.SIGTERM)
	// the kernel ends these processes first when memory runs out
	os.WriteFile("/proc/self/oom_score_adj", []byte("800"), 0)
	file := syscall.Rlimit{Cur: largestFile, Max: largestFile}
	syscall.Setrlimit(syscall.RLIMIT_FSIZE, &file)
	var core syscall.Rlimit
	syscall.Setrlimit(syscall.RLIMIT_CORE, &core)
	program, err := os.StartProcess(args[1], args[1:], &os.ProcAttr{
		Files: []*os.File{os.Stdin, os.Stdout, os.Stderr}, Sys: &syscall.SysProcAttr{Setsid: true}})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 2
	}
	ended := make(chan int, 1)
	gone := make(chan struct{})
	go func() { // reaps all descendants: they become children of this process when their parent dies
		defer close(gone)
		for {
			var status syscall.WaitStatus
			pid, err := syscall.Wait4(-1, &status, 0, nil)
			if err == syscall.EINTR {
				continue
			}
			if err != nil {
				return
			}
			if pid == program.Pid {
				code := status.ExitStatus()
				if status.Signaled() {
					code = 128 + int(status.Signal())
				}
				ended <- code
			}
		}
	}()
	code := exitLate
	select {
	case code = <-ended:
	case <-time.After(limit):
	case <-asked:
	}
	for {
		for _, pid := range children() {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-gone:
			return code
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// children returns the processes that this one has started, and those that it has inherited from ended ones.
func children() (all []int) {
	lists, _ := filepath.Glob("/proc/self/task/*/children")
	for _, list := range lists {
		text, _ := os.ReadFile(list)
		for _, word := range strings.Fields(string(text)) {
			if pid, err := strconv.Atoi(word); err == nil {
				all = append(all, pid)
			}
		}
	}
	return all
}
