package e2e

import (
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/erpilot/erpilot/api/gateway"
	"github.com/erpilot/erpilot/api/web/webtest/browser"
)

// site is the world's gateway with the page, on an address that stays when the
// gateway is replaced.
type site struct {
	w       *world
	addr    string
	gateway *gateway.Server
	server  *http.Server
}

func (w *world) site() *site {
	s := &site{w: w, addr: "127.0.0.1:0"}
	s.start()
	w.t.Cleanup(s.stop)
	return s
}

func (s *site) start() {
	s.w.t.Helper()
	var err error
	if s.gateway, err = s.w.parts.Gateway(); err != nil {
		s.w.t.Fatal(err)
	}
	l, err := net.Listen("tcp", s.addr)
	if err != nil {
		s.w.t.Fatal(err)
	}
	s.addr = l.Addr().String()
	s.server = &http.Server{Handler: s.gateway.Handler(), ReadHeaderTimeout: 10 * time.Second}
	server := s.server
	go func() { _ = server.Serve(l) }()
}

// stop breaks every connection, as a killed process does.
func (s *site) stop() {
	_ = s.server.Close()
	s.gateway.Close()
}

// words are what the tour says and reads in one language.
type words struct {
	lang, ask, order, written, hello string
}

var (
	chinese = words{lang: "zh", ask: "华东客户有哪些？", order: orderMessage, written: "已写入", hello: "演示规划器"}
	english = words{lang: "en", ask: "Which customers are in East China?",
		order: "Create an order for C-0001: 10 boxes of P-0001, 5 boxes of P-0002", written: "Written", hello: "Demo planner"}
)

// shoot keeps a picture when ERPILOT_SHOTS names a directory.
func shoot(tab *browser.Tab, name string) {
	if dir := os.Getenv("ERPILOT_SHOTS"); dir != "" {
		tab.Shot(filepath.Join(dir, name+".png"))
	}
}

// enter logs in as the clerk of the world's tenant.
func (s *site) enter(tab *browser.Tab, lang string) {
	tab.Dark(false, true)
	tab.Go("http://" + s.addr + "/")
	browser.Eval[bool](tab, "(localStorage.setItem('erpilot.lang', '"+lang+"'), localStorage.setItem('erpilot.tenant', 'yunfan/shanghai'), true)")
	tab.Reload()
	tab.Until("document.querySelector('.demo-logins .btn') && document.querySelector('select').value === 'yunfan/shanghai'")
	tab.Axe("login")
	tab.Type("[name=username]", "li")
	tab.Type("[name=password]", "demo1234")
	tab.Click(".login-form .primary")
	tab.Until("document.querySelector('.examples')")
}

func ask(tab *browser.Tab, text string) {
	tab.Type("#composer", text)
	tab.Click(".round.send")
}

func TestTheTourInTheBrowser(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.site()
	b := browser.Start(t)
	for _, l := range []words{chinese, english} {
		t.Run(l.lang, func(t *testing.T) {
			before := w.orders()
			tab := b.Tab(t)
			s.enter(tab, l.lang)
			tab.See(".badge.demo", l.hello)
			ask(tab, l.ask)
			tab.Until("document.querySelectorAll('.agent td').length > 5 && document.querySelector('.turn[data-status=answered]')")
			tab.See(".agent", "C-00")
			shoot(tab, "e2e-"+l.lang+"-table")
			tab.Axe("table")

			ask(tab, l.order)
			tab.Until("document.querySelector('.card [data-verb=approve]')")
			tab.Until("document.querySelectorAll('.lines tbody tr').length === 2 && document.querySelector('.lines .total').innerText.trim()")
			tab.Reload() // the pending card is still there
			tab.Until("document.querySelector('.card [data-verb=approve]')")
			shoot(tab, "e2e-"+l.lang+"-card")
			tab.Axe("card")
			tab.Click("[data-verb=approve]")
			tab.See(".card.st-executed .pill", l.written)
			tab.Until("document.querySelector('.card .bill')?.innerText.trim()")
			tab.Until("document.querySelectorAll('.turn[data-status=answered]').length === 2")
			shoot(tab, "e2e-"+l.lang+"-executed")
			tab.Axe("executed")
			bill := browser.Eval[string](tab, "document.querySelector('.card .bill').innerText")
			if n := w.orders() - before; n != 1 || bill == "" {
				t.Errorf("%d orders, bill %q", n, bill)
			}
			tab.Reload()
			tab.See(".card.st-executed .bill", bill)
			tab.Click(".card .bill") // the document that was written
			tab.See(".sheet h2", bill)
			tab.Until("document.querySelectorAll('.grid tbody tr').length === 2 && document.querySelector('.fields a[href*=C-0001]')")
			shoot(tab, "e2e-"+l.lang+"-record")
			tab.Axe("record")
			tab.Click(".crumbs a:first-child")
			tab.See(".card.st-executed .bill", bill)
			for _, r := range tab.Requests() {
				if !strings.HasPrefix(r, "http://"+s.addr) && !strings.HasPrefix(r, "data:") {
					t.Errorf("the page asked another host: %s", r)
				}
			}
		})
	}
}

func TestAMovedPriceShowsOnTheCardAndOneClickProposesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.site()
	tab := browser.Start(t).Tab(t)
	s.enter(tab, "zh")
	ask(tab, orderMessage)
	tab.Until("document.querySelector('.card [data-verb=approve]')")
	w.exec(`UPDATE erp.product SET base_price = base_price + 1 WHERE tenant_id = 'yunfan.shanghai' AND code = 'P-0001'`)
	before := w.orders()
	tab.Click("[data-verb=approve]")
	tab.See(".card.st-refused .result", "什么都没有写入")
	tab.Until("document.querySelector('.st-refused .fact del') && document.querySelector('.st-refused .fact ins')")
	shoot(tab, "e2e-refused")
	tab.Axe("refused")
	if n := w.orders() - before; n != 0 {
		t.Fatalf("%d orders were written", n)
	}
	tab.Click(".st-refused .btn")
	tab.Until("document.querySelectorAll('.card').length === 2 && document.querySelector('.card.st-awaiting_approval .hit')")
	shoot(tab, "e2e-again")
	tab.Click(".st-awaiting_approval [data-verb=approve]")
	tab.Until("document.querySelector('.card.st-executed .bill')")
	if n := w.orders() - before; n != 1 {
		t.Errorf("%d orders after confirming again", n)
	}
}

func TestTwoTabsThatConfirmAtOnceWriteOneOrder(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.site()
	one := browser.Start(t).Tab(t)
	s.enter(one, "zh")
	ask(one, orderMessage)
	one.Until("document.querySelector('.card [data-verb=approve]')")
	two := one.Beside()
	two.Go("http://" + s.addr + one.Path())
	two.Until("document.querySelector('.card [data-verb=approve]')")
	before := w.orders()
	for _, tab := range []*browser.Tab{one, two} {
		browser.Eval[bool](tab, "(document.querySelector('[data-verb=approve]').click(), true)")
	}
	for _, tab := range []*browser.Tab{one, two} {
		tab.Until("document.querySelector('.card.st-executed .bill') && document.querySelector('.card .by')")
	}
	if n := w.orders() - before; n != 1 {
		t.Errorf("%d orders", n)
	}
}

func TestAGatewayKilledInTheMiddleLosesNothingOnThePage(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.site()
	tab := browser.Start(t).Tab(t)
	s.enter(tab, "zh")
	ask(tab, orderMessage)
	tab.Until("document.querySelector('.card [data-verb=approve]')")
	s.stop()
	tab.See(".banner", "正在重连")
	tab.Type("#composer", "写了一半")
	s.start()
	tab.Gone(".banner")
	tab.Click("[data-verb=approve]")
	tab.Until("document.querySelector('.card.st-executed .bill') && document.querySelector('.turn[data-status=answered]')")
	tab.Until("document.querySelectorAll('.card').length === 1 && document.querySelectorAll('.user').length === 1 && document.querySelector('#composer').value === '写了一半'")
	calls := browser.Eval[int](tab, "document.querySelectorAll('.call').length")
	tab.Reload()
	tab.Until("document.querySelector('.card.st-executed .bill')")
	if again := browser.Eval[int](tab, "document.querySelectorAll('.call').length"); again != calls {
		t.Errorf("%d calls while streaming, %d after a reload", calls, again)
	}
}
