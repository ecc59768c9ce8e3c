// Package browser drives Chromium for tests of the page: tabs in profiles of
// their own, waiting for conditions instead of sleeping, real keys and input
// methods, axe, and a record of every request and defect of the page.
//
// A missing Chromium fails the test and names the command that installs it.
package browser

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/chromedp"
)

// Patience is how long a condition may take.
const Patience = 15 * time.Second

// Browser is one Chromium.
type Browser struct{ ctx context.Context }

// Start runs a Chromium until the test ends.
func Start(t testing.TB) *Browser {
	t.Helper()
	path := ""
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if found, err := exec.LookPath(name); err == nil {
			path = found
			break
		}
	}
	if path == "" {
		t.Fatal("Chromium is missing. Install it: apt-get install -y --no-install-recommends chromium fonts-noto-cjk")
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.WindowSize(1280, 860),
		chromedp.Flag("disable-component-update", true), chromedp.Flag("lang", "zh-CN"), chromedp.Flag("accept-lang", "zh-CN,zh"))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, cancel := chromedp.NewContext(allocator)
	t.Cleanup(func() { cancel(); stop() })
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start Chromium: %v", err)
	}
	return &Browser{ctx}
}

// Tab is one page. Its methods fail the test.
type Tab struct {
	t   testing.TB
	ctx context.Context

	mu       sync.Mutex
	requests []string
	defects  []string
}

// Tab opens a tab in a fresh profile; it closes with the test, which fails if
// the page threw or broke its own policy.
func (b *Browser) Tab(t testing.TB) *Tab {
	t.Helper()
	return open(b.ctx, t, chromedp.WithNewBrowserContext())
}

// Beside opens another tab in the same profile.
func (tab *Tab) Beside() *Tab {
	tab.t.Helper()
	return open(tab.ctx, tab.t)
}

func open(parent context.Context, t testing.TB, options ...chromedp.ContextOption) *Tab {
	t.Helper()
	tab := &Tab{t: t}
	var cancel context.CancelFunc
	tab.ctx, cancel = chromedp.NewContext(parent, append(options, chromedp.WithListener(tab.hear))...)
	t.Cleanup(func() {
		cancel()
		if d := tab.Defects(); len(d) > 0 {
			t.Errorf("defects of the page:\n%s", strings.Join(d, "\n"))
		}
	})
	if err := chromedp.Do(tab.ctx); err != nil {
		t.Fatalf("open a tab: %v", err)
	}
	return tab
}

func (tab *Tab) hear(ev any) {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	raw, err := json.Marshal(ev)
	if err != nil {
		return
	}
	name := fmt.Sprintf("%T", ev)
	switch {
	case strings.Contains(name, "RequestWillBeSent") && !strings.Contains(name, "Extra"):
		var e struct {
			Request network.Request `json:"request"`
		}
		if json.Unmarshal(raw, &e) == nil && e.Request.URL != "" {
			tab.requests = append(tab.requests, e.Request.URL)
		}
	case strings.Contains(name, "ExceptionThrown"), strings.Contains(name, "EntryAdded") && strings.Contains(string(raw), "Content Security Policy"):
		tab.defects = append(tab.defects, string(raw))
	}
}

// Requests are the addresses that the page asked for.
func (tab *Tab) Requests() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return append([]string(nil), tab.requests...)
}

// Defects are uncaught exceptions and breaches of the policy.
func (tab *Tab) Defects() []string {
	tab.mu.Lock()
	defer tab.mu.Unlock()
	return append([]string(nil), tab.defects...)
}

func run[T any](tab *Tab, what string, action chromedp.Action[T]) T {
	tab.t.Helper()
	ctx, cancel := context.WithTimeout(tab.ctx, Patience)
	defer cancel()
	v, err := chromedp.Run(ctx, action)
	if err != nil {
		tab.t.Fatalf("%s: %v", what, err)
	}
	return v
}

func command[P, R any](tab *Tab, c cdp.Command[P, R], params P) {
	tab.t.Helper()
	run(tab, c.Method, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
		_, err := cdp.Call(ctx, target, c, params)
		return err
	}))
}

// Go opens an address.
func (tab *Tab) Go(url string) { tab.t.Helper(); run(tab, "go to "+url, chromedp.Navigate(url)) }

// Reload loads the page again.
func (tab *Tab) Reload() { tab.t.Helper(); run(tab, "reload", chromedp.Reload()) }

// Path is the path of the address.
func (tab *Tab) Path() string { return Eval[string](tab, "location.pathname") }

// Eval returns the value of an expression.
func Eval[T any](tab *Tab, expression string) T {
	tab.t.Helper()
	return run(tab, expression, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
}

// Until waits until the expression is true.
func (tab *Tab) Until(expression string) {
	tab.t.Helper()
	deadline := time.NewTimer(Patience)
	defer deadline.Stop()
	tick := time.NewTicker(25 * time.Millisecond)
	defer tick.Stop()
	for {
		ctx, cancel := context.WithTimeout(tab.ctx, Patience)
		ok, err := chromedp.Run(ctx, chromedp.Evaluate[bool]("!!("+expression+")"))
		cancel()
		if err == nil && ok {
			return
		}
		select {
		case <-tick.C:
		case <-deadline.C:
			file := filepath.Join(os.TempDir(), "erpilot-"+strings.ReplaceAll(tab.t.Name(), "/", "-")+".png")
			tab.Shot(file)
			tab.t.Fatalf("never true: %s (last error %v)\nscreenshot: %s\npage: %s", expression, err, file, Eval[string](tab, "document.body.innerText.slice(0, 3000)"))
		}
	}
}

// See waits until the text of the element holds the words.
func (tab *Tab) See(selector, words string) {
	tab.t.Helper()
	tab.Until(fmt.Sprintf("[...document.querySelectorAll(%s)].some(e => e.innerText.includes(%s))", quote(selector), quote(words)))
}

// Gone waits until nothing matches.
func (tab *Tab) Gone(selector string) {
	tab.t.Helper()
	tab.Until("!document.querySelector(" + quote(selector) + ")")
}

// Click waits for an enabled element and clicks it.
func (tab *Tab) Click(selector string) {
	tab.t.Helper()
	tab.Until("document.querySelector(" + quote(selector) + ") && !document.querySelector(" + quote(selector) + ").disabled")
	run(tab, "click "+selector, chromedp.Click(chromedp.CSS(selector), chromedp.NodeVisible))
}

// Type puts the focus into an element and types.
func (tab *Tab) Type(selector, text string) {
	tab.t.Helper()
	tab.Until("document.querySelector(" + quote(selector) + ")")
	run(tab, "type into "+selector, chromedp.SendKeys(chromedp.CSS(selector), text))
}

// Press sends keys to whatever has the focus.
func (tab *Tab) Press(keys string, options ...chromedp.KeyOption) {
	tab.t.Helper()
	run(tab, "press", chromedp.KeyEvent(keys, options...))
}

// Compose shows a candidate of an input method, not yet accepted.
func (tab *Tab) Compose(text string) {
	tab.t.Helper()
	n := int64(len([]rune(text)))
	command(tab, input.ImeSetComposition, input.ImeSetCompositionParams{Text: text, SelectionStart: n, SelectionEnd: n})
}

// Commit accepts the candidate.
func (tab *Tab) Commit(text string) {
	tab.t.Helper()
	command(tab, input.InsertText, input.InsertTextParams{Text: text})
}

// Size sets the viewport in CSS pixels.
func (tab *Tab) Size(width, height int64) {
	tab.t.Helper()
	run(tab, "size", chromedp.EmulateViewport(width, height))
}

// Dark asks for the dark scheme; calm asks for no motion.
func (tab *Tab) Dark(dark, calm bool) {
	tab.t.Helper()
	scheme, motion := "light", "no-preference"
	if dark {
		scheme = "dark"
	}
	if calm {
		motion = "reduce"
	}
	command(tab, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{
		{Name: "prefers-color-scheme", Value: scheme}, {Name: "prefers-reduced-motion", Value: motion}}})
}

// Shot writes a picture of the viewport.
func (tab *Tab) Shot(file string) {
	tab.t.Helper()
	if err := os.WriteFile(file, run(tab, "screenshot", chromedp.CaptureScreenshot()), 0o600); err != nil {
		tab.t.Fatal(err)
	}
}

func quote(s string) string {
	raw, err := json.Marshal(s)
	if err != nil {
		panic(err) // a string always encodes
	}
	return string(raw)
}
