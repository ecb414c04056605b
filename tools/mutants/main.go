// Command mutants judges the tests: it plants faults, one at a time, in a copy of the source, builds, runs the tests and
// prints the faults that no test has noticed. It changes nothing in the tree it is started in.
//
// Usage: mutants [-n 200] [-seed N] [-files REGEXP] [-limit 2m] [-list]
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"time"
)

// mutant is one planted fault: the bytes from..to of a file are replaced.
type mutant struct {
	file     string // relative to the top folder
	line     int
	from, to int
	with     string
	what     string
}

func (m mutant) String() string { return fmt.Sprintf("%s:%d: %s", m.file, m.line, m.what) }

func main() {
	n := flag.Int("n", 200, "how many mutants are tried")
	seed := flag.Uint64("seed", 0, "which ones; 0: taken from the commit")
	files := flag.String("files", ".", "only files whose path matches this regular expression")
	limit := flag.Duration("limit", 3*time.Minute, "how long the tests of one mutant may take")
	list := flag.Bool("list", false, "only print what would be planted")
	require := flag.Int("require", 95, "exit with 1 when fewer of a hundred are killed")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	killed, tried, err := run(ctx, *n, *seed, *files, *limit, *list)
	if err != nil {
		fmt.Fprintf(os.Stderr, "mutants: %v\n", err)
		os.Exit(1)
	}
	if !*list && tried > 0 && killed*100 < tried**require {
		os.Exit(1)
	}
}

func commitSeed() uint64 {
	text, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		return 1
	}
	h := fnv.New64a()
	h.Write(text)
	return h.Sum64()
}

func run(ctx context.Context, n int, seed uint64, files string, limit time.Duration, list bool) (killed, tried int, err error) {
	pattern, err := regexp.Compile(files)
	if err != nil {
		return 0, 0, err
	}
	if seed == 0 {
		seed = commitSeed()
	}
	all, err := candidates(".", pattern)
	if err != nil {
		return 0, 0, err
	}
	random := rand.New(rand.NewPCG(seed, 0))
	random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	fmt.Printf("seed %d: %d places for faults\n", seed, len(all))
	if list {
		for _, m := range all[:min(n, len(all))] {
			fmt.Println(m)
		}
		return 0, 0, nil
	}
	tree, err := newTree(ctx)
	if err != nil {
		return 0, 0, err
	}
	defer os.RemoveAll(tree.folder)
	for _, failed := range tree.sound(ctx, limit) {
		fmt.Printf("left out, as it fails without any fault: %s\n", failed)
	}
	if len(tree.packages) == 0 {
		return 0, 0, errors.New("no test passes without a fault")
	}
	var survivors []mutant
	for _, m := range all {
		if tried == n || ctx.Err() != nil {
			break
		}
		start := time.Now()
		by, built, err := tree.try(ctx, m, limit)
		if err != nil {
			return killed, tried, err
		}
		if !built { // no program any more: says nothing about the tests
			continue
		}
		tried++
		if by == "" {
			survivors = append(survivors, m)
			fmt.Printf("%4d SURVIVED %s (%v)\n", tried, m, time.Since(start).Round(time.Second))
		} else {
			killed++
			fmt.Printf("%4d killed by %s: %s (%v)\n", tried, by, m, time.Since(start).Round(time.Second))
		}
	}
	fmt.Printf("\n%d of %d killed", killed, tried)
	if tried > 0 {
		fmt.Printf(", %.1f of a hundred", float64(killed)*100/float64(tried))
	}
	fmt.Println(". Survivors:")
	for _, m := range survivors {
		fmt.Println("  ", m)
	}
	return killed, tried, nil
}

// candidates finds every place for a fault, in a fixed order.
func candidates(top string, pattern *regexp.Regexp) ([]mutant, error) {
	var out []mutant
	for _, glob := range []string{"spine/*.c", "internal/*/*.go", "cmd/libvkcore/*.go"} {
		names, err := filepath.Glob(filepath.Join(top, glob))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			base := filepath.Base(name)
			if strings.HasPrefix(base, "z") || strings.HasSuffix(base, "_test.go") || base == "doc.go" || !pattern.MatchString(name) {
				continue
			}
			text, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			relative, err := filepath.Rel(top, name)
			if err != nil {
				return nil, err
			}
			if strings.HasSuffix(base, ".go") {
				found, err := goMutants(relative, text)
				if err != nil {
					return nil, err
				}
				out = append(out, found...)
			} else {
				out = append(out, cMutants(relative, string(text))...)
			}
		}
	}
	return out, nil
}
