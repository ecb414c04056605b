package state

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"vkloader/internal/containers/component"
)

// world records the calls of the state; the test answers them.
type world struct {
	state   *State
	queries []*Device
	loads   []*Component
	said    []string
	notify  int
}

func (w *world) Query(d *Device)       { w.queries = append(w.queries, d) }
func (w *world) Load(c *Component)     { w.loads = append(w.loads, c) }
func (w *world) Show(d *Device)        { w.said = append(w.said, "show "+d.Node) }
func (w *world) Hide(d *Device)        { w.said = append(w.said, "hide "+d.Node) }
func (w *world) Publish(c *Component)  { w.said = append(w.said, "publish "+c.LibraryPath) }
func (w *world) Withdraw(c *Component) { w.said = append(w.said, "withdraw "+c.LibraryPath) }
func (w *world) Chosen(d *Device, unfinished []*Component) {
	w.said = append(w.said, fmt.Sprintf("chosen %s %d of %d unfinished", d.Name(), d.Active.Number, len(unfinished)))
}
func (w *world) Notify() { w.notify++ }

func (w *world) took() string {
	said := strings.Join(w.said, ", ")
	w.said = nil
	return said
}

// settle delivers notifications until none is scheduled.
func (w *world) settle() {
	for w.notify > 0 {
		w.notify--
		w.state.Changed()
	}
}

var all = Options{AllowHardware: true, AllowEmulated: true, AllowSoftware: true, SoftwareURL: "soft"}

func start(options Options) *world {
	w := &world{}
	w.state = New(w, options)
	w.state.Start()
	w.settle()
	return w
}

// device adds a device that lists drivers for Vulkan.
func (w *world) device(node string, urls ...string) *Device {
	d := w.state.Add(node, "")
	var entries []ListedDriver
	for _, url := range urls {
		entries = append(entries, ListedDriver{url, Vulkan})
	}
	w.state.Listed(d, Hardware, entries, nil)
	return d
}

var errBad = errors.New("bad")

// finish ends the lookup of a URL, whose library is named NUMBER-URL.
func (w *world) finish(url string, err error) {
	for _, c := range w.state.Components {
		if c.URL == url && c.Running() {
			report := component.Report{Status: component.Initialized, LibraryPath: fmt.Sprintf("%d-%s", c.Number, url)}
			if err != nil {
				report = component.Report{Status: component.Reading}
			}
			w.state.Finished(c, report, err)
			return
		}
	}
}

// holds: FLS-037 FLS-038 FLS-039 FLS-045 PRO-033
func TestTokens(t *testing.T) {
	t.Parallel()
	w := start(Options{AllowHardware: true})
	source := w.state.Pend("source drm")
	d := w.state.Add("renderD128", "")
	w.state.Listed(d, Hardware, []ListedDriver{{"a", Vulkan}}, nil)
	if got := w.state.Owners(); !slices.Equal(got, []string{"component 0", "source drm"}) || !w.state.Busy() {
		t.Errorf("%v", got)
	}
	w.settle()
	source.Release()
	source.Release()
	if w.notify != 0 {
		t.Error("told before the last token came back")
	}
	w.finish("a", nil)
	if w.notify != 1 || len(w.state.Owners()) != 0 || !w.state.Busy() {
		t.Errorf("%d notifications, %v: one stands for many, and until then it is busy", w.notify, w.state.Owners())
	}
	if w.settle(); w.state.Busy() {
		t.Error("busy forever")
	}
}

// holds: FLS-016 FLS-017 FLS-018 FLS-019 FLS-020 FLS-021 FLS-022 FLS-041
func TestGet(t *testing.T) {
	t.Parallel()
	w := start(Options{AllowHardware: true})
	client := w.state.NewClient()
	got := map[string]string{}
	get := func(name string) {
		client.Get(name, func(c *Component) {
			if got[name] = "none"; c != nil {
				got[name] = c.URL
			}
		})
	}
	get("0-a")
	if got["0-a"] != "none" {
		t.Error("a question that nothing can answer waits")
	}
	clear(got)
	w.device("renderD128", "a", "b")
	w.device("renderD129", "c")
	for _, name := range []string{"0-a", "1-b", "2-c", "0-A", "3-d"} {
		get(name)
	}
	w.settle()
	w.finish("b", nil)
	w.finish("c", nil)
	w.settle()
	if len(got) != 1 || got["2-c"] != "c" {
		t.Errorf("behind one that is looked up nothing counts, on another device it does: %v", got)
	}
	w.finish("a", errBad)
	w.settle()
	if want := "map[0-A:none 0-a:none 1-b:b 2-c:c 3-d:none]"; fmt.Sprint(got) != want {
		t.Errorf("got %v, want %s", got, want)
	}
}

// holds: FLS-027 FLS-028 FLS-029
func TestIdle(t *testing.T) {
	t.Parallel()
	w := start(Options{AllowHardware: true})
	client := w.state.NewClient()
	answered := 0
	ask := func() { client.WhenIdle(func() { answered++ }) }
	if ask(); answered != 1 {
		t.Error("it waits for nothing")
	}
	w.device("renderD128", "a")
	ask()
	ask()
	w.settle()
	w.finish("a", nil)
	if answered != 1 {
		t.Error("answered before the news were told")
	}
	if w.settle(); answered != 3 {
		t.Errorf("%d answers", answered)
	}
}

// holds: FLS-015 PRO-004
func TestDroppedClient(t *testing.T) {
	t.Parallel()
	w := start(Options{AllowHardware: true})
	w.device("renderD128", "a")
	gone, stays := w.state.NewClient(), w.state.NewClient()
	answers := ""
	gone.Get("x", func(*Component) { answers += "gone " })
	gone.WhenIdle(func() { answers += "gone " })
	stays.Get("x", func(*Component) { answers += "stays " })
	if clients, waiting := w.state.Counts(); clients != 2 || waiting != 3 {
		t.Errorf("%d clients, %d waiting", clients, waiting)
	}
	gone.Drop()
	gone.Drop()
	w.finish("a", nil)
	if w.settle(); answers != "stays " {
		t.Errorf("answers to %q", answers)
	}
}

// holds: FLS-084 FLS-085 FLS-086 FLS-031 FLS-040 FLS-097 PRO-041
func TestChoice(t *testing.T) {
	t.Parallel()
	w := start(Options{AllowHardware: true})
	w.device("renderD128", "a", "b", "c")
	w.settle()
	w.finish("b", nil)
	w.settle()
	if said := w.took(); said != "show renderD128" || w.state.Healthy {
		t.Errorf("while the best is looked up nothing is chosen: %s", said)
	}
	w.finish("a", errBad)
	w.settle()
	if said := w.took(); said != "chosen drm-renderD128 1 of 2 unfinished, publish 1-b" || !w.state.Healthy {
		t.Errorf("the first one that is ready: %s", said)
	}
	w.finish("c", nil)
	w.settle()
	if said := w.took(); said != "" {
		t.Errorf("one manifest a device: %s", said)
	}
	w.state.Remove(w.state.Devices[0])
	if w.settle(); !w.state.Healthy {
		t.Error("health goes back")
	}
}

// holds: FLS-060 FLS-061 FLS-062 PRO-020
func TestComponentsAreShared(t *testing.T) {
	t.Parallel()
	w := start(Options{AllowHardware: true})
	w.device("renderD128", "a", "b")
	w.device("renderD129", "b", "a", "c")
	var urls []string
	for i, c := range w.state.Components {
		if c.Number != i {
			t.Errorf("number %d at %d", c.Number, i)
		}
		urls = append(urls, c.URL)
	}
	if !slices.Equal(urls, []string{"a", "b", "c"}) || len(w.loads) != 3 {
		t.Errorf("%v, %d lookups", urls, len(w.loads))
	}
	w.finish("a", errBad)
	w.device("renderD130", "a")
	if len(w.loads) != 3 {
		t.Error("a URL that failed is tried again")
	}
}

// holds: FLS-055 FLS-057 FLS-058 FLS-046
func TestListed(t *testing.T) {
	t.Parallel()
	w := start(Options{AllowHardware: true})
	d := w.state.Add("renderD128", "")
	w.state.Listed(d, Hardware, []ListedDriver{{"vulkan", Vulkan}, {"opencl", 2}, {"both", 3 | 1<<9}}, nil)
	if len(d.ICDs) != 3 || len(w.loads) != 2 || d.ICDs[1].Component != nil {
		t.Errorf("%d drivers, %d lookups", len(d.ICDs), len(w.loads))
	}
	w.state.Listed(w.state.Add("renderD129", ""), Hardware, nil, errBad)
	w.state.Listed(w.state.Add("renderD130", ""), Emulated, []ListedDriver{{"e", Vulkan}}, nil)
	if len(w.state.Devices) != 1 || len(w.loads) != 2 {
		t.Errorf("a device that cannot be asked, or is not allowed, stays: %s", w.state)
	}
	gone := w.state.Add("renderD131", "")
	w.state.Remove(gone)
	w.state.Remove(gone)
	w.state.Listed(gone, Hardware, []ListedDriver{{"late", Vulkan}}, nil)
	if len(w.loads) != 2 || slices.Contains(w.state.Owners(), "device renderD131") {
		t.Error("an answer for a device that is gone counts")
	}
}

// holds: FLS-049 FLS-087 FLS-101 PRO-032
func TestRemoval(t *testing.T) {
	t.Parallel()
	w := start(Options{AllowHardware: true})
	first, second := w.device("renderD128", "a"), w.device("renderD129", "a")
	w.finish("a", nil)
	w.settle()
	w.took()
	w.state.Remove(first)
	if w.settle(); w.took() != "hide renderD128" {
		t.Error("the manifest goes with one of two devices")
	}
	w.state.Remove(second)
	w.settle()
	if said := w.took(); said != "hide renderD129, withdraw 0-a" || len(w.state.Devices) != 0 || len(w.state.Components) != 1 {
		t.Error(said)
	}
	w.state.NewClient().Get("0-a", func(c *Component) {
		if c != nil {
			t.Error("the library of no device is handed out")
		}
	})
	w.device("renderD130", "a")
	w.settle()
	if said := w.took(); !strings.Contains(said, "publish") {
		t.Errorf("the device comes back: %s", said)
	}
}

// holds: FLS-050 FLS-051 FLS-052 FLS-059 PRO-031 PRO-030
func TestSoftware(t *testing.T) {
	t.Parallel()
	names := func(w *world) (list []string) {
		for _, d := range w.state.Devices {
			list = append(list, d.Name())
		}
		return list
	}
	w := &world{}
	w.state = New(w, all)
	source := w.state.Pend("source")
	w.state.Start()
	w.settle()
	d := w.device("renderD128", "a")
	waits := true
	w.state.NewClient().Get("1-soft", func(c *Component) { waits = c == nil })
	w.finish("a", errBad)
	w.settle()
	if got := names(w); !slices.Equal(got, []string{"drm-renderD128"}) {
		t.Errorf("before all sources are idle: %v", got)
	}
	source.Release()
	w.settle()
	if got := names(w); !slices.Equal(got, []string{"drm-renderD128", "lavapipe-0"}) {
		t.Errorf("no device has a driver: %v", got)
	}
	w.finish("soft", nil)
	if w.settle(); waits {
		t.Error("a question was not left waiting for the software driver")
	}
	w.device("renderD129", "b")
	w.finish("b", nil)
	w.settle()
	if got := names(w); len(got) != 3 {
		t.Errorf("it stays: %v", got)
	}
	w.state.Remove(d)
	w.settle()

	if alone := start(all); len(alone.state.Devices) != 1 || alone.state.Components[0].URL != "soft" {
		t.Errorf("without any other device: %v", names(alone))
	}
	with := &world{}
	with.state = New(with, all)
	source = with.state.Pend("source")
	with.state.Start()
	with.device("renderD128", "a")
	with.finish("a", nil)
	source.Release()
	if with.settle(); len(with.state.Devices) != 1 {
		t.Errorf("beside hardware: %v", names(with))
	}
	forbidden := start(Options{AllowHardware: true, SoftwareURL: "soft"})
	forbidden.state.Pend("x").Release()
	if forbidden.settle(); len(forbidden.state.Devices) != 0 {
		t.Errorf("not allowed: %v", names(forbidden))
	}
	nameless := start(Options{AllowHardware: true, AllowSoftware: true})
	nameless.state.Pend("x").Release()
	if nameless.settle(); len(nameless.state.Devices) != 0 {
		t.Errorf("without a URL: %v", names(nameless))
	}
}

// In any order of events: each request is answered once; "there is none" and directories come only when nothing is
// pending; no manifest of a driver appears while a better driver of its device is undecided.
//
// holds: PRO-035 PRO-003
func TestAnyInterleaving(t *testing.T) {
	t.Parallel()
	for seed := range uint64(3000) {
		interleave(t, rand.New(rand.NewPCG(seed, 1)))
		if t.Failed() {
			t.Fatalf("seed %d", seed)
		}
	}
}

func interleave(t *testing.T, r *rand.Rand) {
	options := all
	options.AllowSoftware = r.IntN(2) == 0
	w := &world{}
	w.state = New(w, options)
	sources := []*Token{w.state.Pend("a"), w.state.Pend("b")}
	w.state.Start()
	answers := map[int]int{}
	asked := 0
	clients := []*Client{w.state.NewClient(), w.state.NewClient()}
	ask := func() {
		n, c := asked, clients[r.IntN(len(clients))]
		asked++
		if r.IntN(2) == 0 {
			c.WhenIdle(func() {
				if answers[n]++; len(w.state.tokens) > 0 || w.state.queued {
					t.Error("a directory while something is pending")
				}
			})
			return
		}
		c.Get(fmt.Sprintf("%d-u%d", r.IntN(4), r.IntN(4)), func(found *Component) {
			if answers[n]++; found == nil && len(w.state.tokens) > 0 {
				t.Error("\"none\" while something is pending")
			}
		})
	}
	step := func() {
		switch r.IntN(9) {
		case 0:
			if len(w.state.Devices) < 4 {
				w.state.Add(fmt.Sprintf("renderD%d", r.IntN(100)), "")
			}
		case 1:
			if n := len(w.queries); n > 0 {
				d := w.queries[n-1]
				w.queries = w.queries[:n-1]
				var list []ListedDriver
				for range r.IntN(4) {
					list = append(list, ListedDriver{fmt.Sprintf("u%d", r.IntN(4)), uint32(r.IntN(4))})
				}
				w.state.Listed(d, Kind(r.IntN(2)), list, []error{nil, nil, nil, errBad}[r.IntN(4)])
			}
		case 2:
			w.finish([]string{"u0", "u1", "u2", "u3", "soft"}[r.IntN(5)], []error{nil, errBad}[r.IntN(2)])
		case 3:
			if n := len(w.state.Devices); n > 0 && r.IntN(2) == 0 {
				w.state.Remove(w.state.Devices[r.IntN(n)])
			}
		case 4:
			if len(sources) > 0 {
				sources[0].Release()
				sources = sources[1:]
			}
		case 5:
			if w.notify > 0 {
				w.notify--
				w.state.Changed()
				checkPublished(t, w.state)
			}
		default:
			ask()
		}
	}
	for range 60 {
		step()
	}
	// Finally, all operations finish.
	for _, s := range sources {
		s.Release()
	}
	for range 20 {
		for _, d := range slices.Clone(w.queries) {
			w.state.Listed(d, Hardware, nil, nil)
		}
		for _, c := range w.state.Components {
			w.finish(c.URL, nil)
		}
		w.settle()
	}
	checkPublished(t, w.state)
	for n := range asked {
		if answers[n] != 1 {
			t.Errorf("question %d has %d answers", n, answers[n])
		}
	}
}

func checkPublished(t *testing.T, s *State) {
	for _, d := range s.Devices {
		if d.Active == nil {
			continue
		}
		if !d.Active.published {
			t.Error("an active driver without its manifest")
		}
		for _, icd := range d.ICDs {
			if icd.Component == d.Active {
				break
			}
			if icd.Component != nil && icd.Component.Running() {
				t.Error("a manifest while a better driver is undecided")
			}
		}
	}
}
