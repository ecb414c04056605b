package binary

import (
	"bytes"
	"context"
	"debug/elf"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"
)

func parse(t *testing.T, words string) *Library {
	t.Helper()
	l, err := Parse(strings.Fields(words))
	if err != nil {
		t.Fatal(err)
	}
	return l
}

// ELF readers read the written values.
func TestReadBack(t *testing.T) {
	t.Parallel()
	for _, target := range []struct {
		words   string
		class   elf.Class
		machine elf.Machine
	}{
		{"", elf.ELFCLASS64, elf.EM_X86_64}, {"class=32 machine=i386", elf.ELFCLASS32, elf.EM_386},
		{"machine=aarch64", elf.ELFCLASS64, elf.EM_AARCH64}, {"class=32 machine=arm", elf.ELFCLASS32, elf.EM_ARM},
	} {
		data := parse(t, target.words+" soname=libx.so.1 runpath=$ORIGIN/y needed=libc.so.6,libm.so.6 exports=vkA,vkB "+
			"imports=memcpy@GLIBC_2.14@libc.so.6,exp@GLIBC_2.29@libm.so.6,plain,stat@GLIBC_2.33@libc.so.6 init=return").Bytes()
		f, err := elf.NewFile(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		if f.Class != target.class || f.Machine != target.machine || f.Type != elf.ET_DYN {
			t.Errorf("%s: %+v", target.words, f.FileHeader)
		}
		for tag, want := range map[elf.DynTag][]string{
			elf.DT_NEEDED: {"libc.so.6", "libm.so.6"}, elf.DT_SONAME: {"libx.so.1"}, elf.DT_RUNPATH: {"$ORIGIN/y"},
		} {
			if got, err := f.DynString(tag); err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%s: %s %v, %v", target.words, tag, got, err)
			}
		}
		imported, err := f.ImportedSymbols()
		want := []elf.ImportedSymbol{{Name: "memcpy", Version: "GLIBC_2.14", Library: "libc.so.6"},
			{Name: "exp", Version: "GLIBC_2.29", Library: "libm.so.6"}, {Name: "plain"},
			{Name: "stat", Version: "GLIBC_2.33", Library: "libc.so.6"}}
		if err != nil || !reflect.DeepEqual(imported, want) {
			t.Errorf("%s: imports %v, %v", target.words, imported, err)
		}
		var exported []string
		symbols, err := f.DynamicSymbols()
		for _, s := range symbols {
			if s.Section != elf.SHN_UNDEF {
				exported = append(exported, s.Name)
			}
		}
		if err != nil || !reflect.DeepEqual(exported, []string{"vkA", "vkB"}) {
			t.Errorf("%s: exports %v, %v", target.words, exported, err)
		}
	}
	for _, bad := range []string{"class=16", "machine=vax", "nonsense=1", "code=dance", "imports=a@b", "word"} {
		if _, err := Parse(strings.Fields(bad)); err == nil {
			t.Errorf("%s is taken", bad)
		}
	}
}

// The system's loader loads the written file, finds its exports, and its code behaves as requested.
func TestLoads(t *testing.T) {
	t.Parallel()
	cc := os.Getenv("CC")
	if cc == "" {
		cc = "cc"
	}
	dir := t.TempDir()
	source := `#include <dlfcn.h>
int main(int n, char **v) {
	void *l = dlopen(v[1], RTLD_NOW);
	int (*f)(void) = l ? (int (*)(void))dlsym(l, "vkA") : 0;
	return f ? 10 + f() : 1;
}
`
	if err := os.WriteFile(filepath.Join(dir, "load.c"), []byte(source), 0o644); err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "load")
	if text, err := exec.Command(cc, "-o", program, program+".c", "-ldl").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	for _, c := range []struct{ words, ends string }{
		{"code=return", "exit status 10"}, {"code=crash", "signal: illegal instruction"},
		{"init=crash", "signal: illegal instruction"}, {"init=return", "exit status 10"},
		{"imports=no_such_symbol", "exit status 1"}, {"imports=puts@NO_SUCH_VERSION@libc.so.6", "exit status 1"},
		{"machine=aarch64", "exit status 1"}, {"class=32 machine=i386", "exit status 1"},
		{"code=hang", "signal: killed"},
	} {
		library := filepath.Join(dir, c.words+".so")
		data := parse(t, "needed=libc.so.6 exports=vkA,vkB imports=puts@GLIBC_2.2.5@libc.so.6 "+c.words).Bytes()
		if err := os.WriteFile(library, data, 0o755); err != nil {
			t.Fatal(err)
		}
		limit := time.Minute
		if strings.HasSuffix(c.words, "hang") {
			limit = time.Second // it never ends, however long one waits
		}
		ctx, cancel := context.WithTimeout(context.Background(), limit)
		err := exec.CommandContext(ctx, program, library).Run()
		cancel()
		if err == nil || !strings.HasPrefix(err.Error(), c.ends) {
			t.Errorf("%s: %v, want %s", c.words, err, c.ends)
		}
	}
}
