package ui

import (
	"context"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/cdproto/target"
	"github.com/chromedp/chromedp"

	"vkloader/test/lib/machine"
)

// limit is the time limit of a condition, also on a busy machine.
const limit = 10 * time.Minute

// within returns the result of a function, or ends the test with the name of the condition.
func within[T any](t *testing.T, what string, wait func() T) T {
	t.Helper()
	result := make(chan T, 1)
	go func() { result <- wait() }()
	select {
	case value := <-result:
		return value
	case <-time.After(limit):
		t.Fatalf("after %v, still waiting for %s", limit, what)
		panic("not reached")
	}
}

// browser is one window of the browser.
type browser struct {
	t     *testing.T
	ctx   context.Context
	owner cdp.BrowserContextID

	lock    sync.Mutex
	faults  []string // errors of the page's code, and requests to servers other than the page's
	host    string   // the page's server
	foreign bool     // the test also visits other pages, whose requests are refused
	bytes   int64    // the size of all answers so far
	asked   int      // the number of requests so far
}

// sandboxed reports whether this user's browser can separate its processes: root's cannot, and others need a user namespace.
var sandboxed = sync.OnceValue(func() bool {
	return os.Getuid() != 0 && exec.Command("unshare", "--user", "true").Run() == nil
})

// endChromium ends the browser of all tests, if a test has started it.
var endChromium = func() {}

// chromium starts the browser of all tests.
var chromium = sync.OnceValues(func() (context.Context, error) {
	directory, err := os.MkdirTemp("", "vkui-browser")
	if err != nil {
		return nil, err
	}
	options := append(slices.Clone(chromedp.DefaultExecAllocatorOptions[:]),
		chromedp.ExecPath("chromium"), chromedp.UserDataDir(filepath.Join(directory, "profile")), chromedp.DisableGPU, chromedp.WindowSize(1400, 1100),
		chromedp.Flag("no-sandbox", !sandboxed()), chromedp.Flag("hide-scrollbars", true), chromedp.Flag("mute-audio", true),
		chromedp.Flag("force-device-scale-factor", "1"), chromedp.Flag("no-proxy-server", true),
		chromedp.Flag("disable-component-update", true),
		// Hosts other than this machine have no address.
		chromedp.Flag("host-resolver-rules", "MAP * ~NOTFOUND , EXCLUDE 127.0.0.1 , EXCLUDE localhost"),
		chromedp.Env("HOME="+directory, "XDG_CONFIG_HOME="+directory, "XDG_CACHE_HOME="+directory, "TMPDIR="+directory, "LC_ALL=C.UTF-8",
			"DBUS_SESSION_BUS_ADDRESS=disabled:", "DBUS_SYSTEM_BUS_ADDRESS=disabled:"))
	parent, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(parent)
	endChromium = func() {
		closing, done := context.WithTimeout(ctx, limit)
		_ = chromedp.Cancel(closing)
		done()
		cancel()
		stop()
		os.RemoveAll(directory)
	}
	unanswered := time.AfterFunc(limit, cancel)
	defer unanswered.Stop()
	return ctx, chromedp.Run(ctx)
})

// browse opens a window with its own cookies and storage. Errors of the page fail the test at its end.
func browse(t *testing.T) *browser {
	t.Helper()
	machine.Need(t, "chromium")
	shared, err := chromium()
	if err != nil {
		t.Fatalf("starting chromium: %v", err)
	}
	executor, done := context.WithTimeout(cdp.WithExecutor(shared, chromedp.FromContext(shared).Browser), limit)
	defer done()
	owner, err := target.CreateBrowserContext().Do(executor)
	if err != nil {
		t.Fatalf("making the window's storage: %v", err)
	}
	window, err := target.CreateTarget("about:blank").WithBrowserContextID(owner).WithNewWindow(true).Do(executor)
	if err != nil {
		t.Fatalf("making a window: %v", err)
	}
	ctx, cancel := chromedp.NewContext(shared, chromedp.WithTargetID(window))
	b := &browser{t: t, ctx: ctx, owner: owner}
	t.Cleanup(func() {
		cancel()
		closing, done := context.WithTimeout(cdp.WithExecutor(shared, chromedp.FromContext(shared).Browser), time.Minute)
		_ = target.DisposeBrowserContext(owner).Do(closing) // its windows are closed; a busy browser may give no answer
		done()
		b.lock.Lock()
		defer b.lock.Unlock()
		for _, fault := range b.faults {
			t.Errorf("in the browser: %s", fault)
		}
	})
	chromedp.ListenTarget(ctx, b.hear)
	unanswered := time.AfterFunc(limit, cancel)
	if err := chromedp.Run(ctx); err != nil { // the window closes with the context of its first call
		t.Fatalf("opening a window: %v", err)
	}
	unanswered.Stop()
	b.size(1280)
	return b
}

// hear records errors.
func (b *browser) hear(event any) {
	b.lock.Lock()
	defer b.lock.Unlock()
	wrong := func(format string, args ...any) { b.faults = append(b.faults, fmt.Sprintf(format, args...)) }
	switch e := event.(type) {
	case *runtime.EventExceptionThrown:
		if b.foreign {
			break
		}
		what := ""
		if e.ExceptionDetails.Exception != nil {
			what = e.ExceptionDetails.Exception.Description
		}
		wrong("%s %s", e.ExceptionDetails.Text, what)
	case *log.EventEntryAdded:
		if e.Entry.Level == log.LevelError && !b.foreign {
			wrong("%s (%s)", e.Entry.Text, e.Entry.URL)
		}
	case *network.EventRequestWillBeSent:
		b.asked++
		u, err := url.Parse(e.Request.URL)
		if err != nil || !b.foreign && b.host != "" && u.Host != b.host && (u.Scheme == "http" || u.Scheme == "https") {
			wrong("it asked for %s", e.Request.URL)
		}
	case *network.EventLoadingFinished:
		b.bytes += int64(e.EncodedDataLength)
	}
}

// do runs actions in the browser.
func (b *browser) do(steps ...chromedp.Action) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	if err := chromedp.Run(ctx, steps...); err != nil {
		b.t.Fatalf("%v\n%s", err, b.shown())
	}
}

// size sets the width of the window, in pixels.
func (b *browser) size(width int64) {
	b.t.Helper()
	b.do(chromedp.EmulateViewport(width, 900))
}

// dark selects dark or light colours.
func (b *browser) dark(wanted bool) {
	b.t.Helper()
	value := "light"
	if wanted {
		value = "dark"
	}
	b.do(emulation.SetEmulatedMedia().WithFeatures([]*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: value}, {Name: "prefers-reduced-motion", Value: "reduce"}}))
}

// open goes to an address.
func (b *browser) open(address string) {
	b.t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		b.t.Fatal(err)
	}
	b.lock.Lock()
	b.host = u.Host
	b.lock.Unlock()
	b.do(chromedp.Navigate(address))
}

func awaitPromise(p *runtime.EvaluateParams) *runtime.EvaluateParams { return p.WithAwaitPromise(true) }

// eval returns the value of a JavaScript expression. It waits for a promise.
func eval[T any](b *browser, expression string, args ...any) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	var value T
	if err := chromedp.Run(ctx, chromedp.Evaluate(fill(expression, args), &value, awaitPromise)); err != nil {
		b.t.Fatalf("%s: %v\n%s", fill(expression, args), err, b.shown())
	}
	return value
}

// fill replaces each %s by an argument as a JavaScript value.
func fill(expression string, args []any) string {
	words := make([]any, len(args))
	for i, arg := range args {
		text, err := json.Marshal(arg)
		if err != nil {
			panic(err)
		}
		words[i] = string(text)
	}
	if len(words) == 0 {
		return expression
	}
	return fmt.Sprintf(expression, words...)
}

// waiter is a promise that is kept as soon as a condition is true. It is asked after each change of the document, and every
// 20 ms for conditions on the layout: a request for each frame makes the browser draw all of them.
const waiter = `new Promise((resolve) => {
  const look = () => { try { return !!(CONDITION) } catch { return false } };
  if (look()) return resolve(true);
  let over = false;
  const again = () => { if (!over && look()) { over = true; watch.disconnect(); resolve(true) } };
  const watch = new MutationObserver(again);
  watch.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  const later = () => { again(); if (!over) setTimeout(later, 20) };
  later();
})`

// wait waits until a condition is true on the page.
func (b *browser) wait(condition string, args ...any) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, limit)
	defer cancel()
	condition = fill(condition, args)
	expression := strings.Replace(waiter, "CONDITION", condition, 1)
	if err := chromedp.Run(ctx, chromedp.Evaluate(expression, nil, awaitPromise)); err != nil {
		b.t.Fatalf("waiting for %s: %v\n%s", condition, err, b.shown())
	}
}

// sees waits until the page contains a text.
func (b *browser) sees(text string) {
	b.t.Helper()
	b.wait(`document.body.innerText.includes(%s)`, text)
}

// text returns the visible text of an element.
func (b *browser) text(selector string) string {
	b.t.Helper()
	return eval[string](b, `document.querySelector(%s)?.innerText ?? ""`, selector)
}

// has reports whether the page has an element for a selector.
func (b *browser) has(selector string) bool {
	b.t.Helper()
	return eval[bool](b, `document.querySelector(%s) !== null`, selector)
}

// press moves the focus to an element and sends keys.
func (b *browser) press(selector, keys string, options ...chromedp.KeyOption) {
	b.t.Helper()
	b.wait(`document.querySelector(%s)`, selector)
	if !eval[bool](b, `(() => { const e = document.querySelector(%s); e.focus(); return document.activeElement === e })()`, selector) {
		b.t.Fatalf("%s takes no focus\n%s", selector, b.shown())
	}
	b.do(chromedp.KeyEvent(keys, options...))
}

// click clicks on an element once it is visible and does not move: a part that arrives later would move it away from the
// pointer. The button that stops a request is used while its part is busy.
func (b *browser) click(selector string) {
	b.t.Helper()
	b.wait(`((e) => e?.checkVisibility() && (e.closest(".waits") || !document.querySelector("[aria-busy]")))(document.querySelector(%s))`, selector)
	b.do(chromedp.Click(selector, chromedp.ByQuery))
}

// shown returns the visible text of the page, for messages.
func (b *browser) shown() string {
	ctx, cancel := context.WithTimeout(b.ctx, 5*time.Second)
	defer cancel()
	var text string
	if err := chromedp.Run(ctx, chromedp.Evaluate(`location.href.replace(/token=.*/, "") + "\n" + document.body.innerText`, &text)); err != nil {
		return fmt.Sprintf("(the page cannot be read: %v)", err)
	}
	return "the page shows:\n" + text[:min(len(text), 4000)]
}
