package main

import (
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Exit codes of the guard itself, in place of the program's.
const (
	exitLate   = 124 // the limit was reached
	exitMemory = 125 // too much memory
)

// largestFile ends a program that writes its log without end.
const largestFile = 1 << 30

// guard runs a program to its end, and then ends all processes that the program has started, so that a faulty loader leaves
// none behind. It also ends everything after the limit, on SIGTERM, when its parent dies, or when the processes together keep
// more than memory bytes resident. It runs as a separate process:
//
//	mutants guard LIMIT MEMORY PROGRAM ARGUMENT...
func guard(args []string) int {
	limit, err := time.ParseDuration(args[0])
	memory, err2 := strconv.ParseInt(args[1], 10, 64)
	if err != nil || err2 != nil {
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
	program, err := os.StartProcess(args[2], args[2:], &os.ProcAttr{
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
	code := func() int {
		late := time.After(limit)
		look := time.NewTicker(300 * time.Millisecond)
		defer look.Stop()
		for {
			select {
			case code := <-ended:
				return code
			case <-late:
				return exitLate
			case <-asked:
				return exitLate
			case <-look.C:
				if _, resident := descendants(os.Getpid()); resident > memory {
					return exitMemory
				}
			}
		}
	}()
	for {
		all, _ := descendants(os.Getpid())
		for _, pid := range all {
			syscall.Kill(pid, syscall.SIGKILL)
		}
		select {
		case <-gone:
			return code
		case <-time.After(5 * time.Millisecond):
		}
	}
}

// descendants returns the processes below one, and the bytes that they keep resident.
func descendants(top int) (all []int, resident int64) {
	directory, err := os.Open("/proc")
	if err != nil {
		return nil, 0
	}
	names, _ := directory.Readdirnames(-1)
	directory.Close()
	children := map[int][]int{}
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		stat, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue
		}
		_, rest, _ := strings.Cut(string(stat), ") ") // state, parent
		if words := strings.Fields(rest); len(words) > 1 && words[0] != "Z" {
			parent, _ := strconv.Atoi(words[1])
			children[parent] = append(children[parent], pid)
		}
	}
	all = append(all, children[top]...)
	for i := 0; i < len(all); i++ {
		all = append(all, children[all[i]]...)
		if statm, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", all[i])); err == nil {
			if words := strings.Fields(string(statm)); len(words) > 1 {
				pages, _ := strconv.ParseInt(words[1], 10, 64)
				resident += pages * int64(os.Getpagesize())
			}
		}
	}
	return all, resident
}
