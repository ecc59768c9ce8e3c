package e2e

import (
	"bytes"
	"context"
	"io"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/cmd/erpilot/chat"
	"github.com/erpilot/erpilot/schema/demo"
	"github.com/erpilot/erpilot/schema/operation"
)

// paper is a screen that tests read while it is written.
type paper struct {
	mu  sync.Mutex
	buf bytes.Buffer
}

func (p *paper) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.Write(b)
}

func (p *paper) String() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.buf.String()
}

// chat runs `erpilot chat` over lines as from a pipe.
func (s *site) chat(lang string, in io.Reader, out io.Writer, change func(*chat.Command)) error {
	s.w.t.Helper()
	c := chat.Command{URL: "http://" + s.addr, Brand: s.w.tenant.BrandID, Subsidiary: s.w.tenant.SubsidiaryID, User: "li", Lang: lang}
	if change != nil {
		change(&c)
	}
	ctx, cancel := context.WithTimeout(s.w.t.Context(), 2*patience)
	defer cancel()
	return c.RunOver(ctx, in, out, func(string) (string, error) { return demo.Password, nil })
}

func TestTheTourInTheTerminal(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.site()
	for _, l := range []words{chinese, english} {
		before := w.orders()
		var out paper
		if err := s.chat(l.lang, strings.NewReader(l.ask+"\n"+l.order+"\n\ny\n"), &out, nil); err != nil {
			t.Fatalf("%v\n%s", err, out.String())
		}
		has(t, out.String(), "> "+l.ask, "> "+l.order, "[1] ", " → ", "✓ [1] ", "/erp/form/sales_order?bill=")
		if w.orders() != before+1 {
			t.Errorf("%d orders more\n%s", w.orders()-before, out.String())
		}
	}
}

func TestTheTerminalSaysWhatMovedAndProposesAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.site()
	before := w.orders()
	in, keys := io.Pipe()
	var out paper
	done := make(chan error, 1)
	go func() { done <- s.chat("en", in, &out, nil) }()
	types := func(line string) {
		if _, err := io.WriteString(keys, line+"\n"); err != nil {
			t.Error(err)
		}
	}
	types(orderMessage)
	w.eventually("the card", func() bool { return strings.Contains(out.String(), "Type y to confirm") })
	w.exec(`UPDATE erp.product SET base_price = base_price + 1 WHERE tenant_id = 'yunfan.shanghai' AND code = 'P-0001'`)
	types("y")
	w.eventually("the refusal", func() bool { return strings.Contains(out.String(), "Type p to propose again") })
	if w.orders() != before {
		t.Error("an order was written on an old price")
	}
	types("p")
	w.eventually("the fresh card", func() bool {
		return strings.Contains(out.String(), "[2] ") && strings.Count(out.String(), "Type y to confirm") == 2
	})
	types("y")
	w.eventually("the order", func() bool { return strings.Contains(out.String(), "✓ [2] ") })
	if err := keys.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	has(t, out.String(), "changed from", "nothing was written", "Changed since the last proposal:")
	if w.orders() != before+1 {
		t.Errorf("%d orders more\n%s", w.orders()-before, out.String())
	}
}

func TestTheTerminalGoesOnAfterTheGatewayWasAway(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.site()
	in, keys := io.Pipe()
	var out paper
	done := make(chan error, 1)
	go func() { done <- s.chat("en", in, &out, nil) }()
	if _, err := io.WriteString(keys, orderMessage+"\n"); err != nil {
		t.Fatal(err)
	}
	w.eventually("the card", func() bool { return strings.Contains(out.String(), "Type y to confirm") })
	s.stop()
	w.eventually("the news of the lost connection", func() bool { return strings.Contains(out.String(), "Connection lost") })
	s.start()
	w.eventually("the connection", func() bool { return strings.Contains(out.String(), "Connected again") })
	if _, err := io.WriteString(keys, "y\n"); err != nil {
		t.Fatal(err)
	}
	if err := keys.Close(); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	for _, once := range []string{"> " + orderMessage, "[1] ", "Type y to confirm", "✓ [1] "} {
		n := strings.Count(out.String(), once)
		if once == "[1] " { // the card, and each state of it
			n = min(n, 1)
		}
		if n != 1 {
			t.Errorf("%q is printed %d times:\n%s", once, n, out.String())
		}
	}
}

func TestTheTerminalFindsEverythingAgain(t *testing.T) {
	t.Parallel()
	w := newWorld(t)
	s := w.site()
	var first, second, list paper
	if err := s.chat("en", strings.NewReader(chinese.ask+"\n"+orderMessage+"\n"), &first, nil); err != nil {
		t.Fatal(err)
	}
	if err := s.chat("en", strings.NewReader(""), &list, func(c *chat.Command) { c.List = true }); err != nil {
		t.Fatal(err)
	}
	has(t, list.String(), chinese.ask, "Waiting for a person: 1 · ")
	if err := s.chat("en", strings.NewReader("n\n"), &second, func(c *chat.Command) { c.Continue = true }); err != nil {
		t.Fatal(err)
	}
	has(t, second.String(), "> "+chinese.ask, "> "+orderMessage, "晨光", "[1] ", "✗ [1] Cancelled; nothing was written.")
	if row := w.op(opIDOf(t, w)); row.Status != string(operation.Cancelled) || *row.DecidedVia != string(operation.ChannelTerminal) {
		t.Errorf("the operation is %s, decided through %s", row.Status, *row.DecidedVia)
	}
}

// opIDOf is the one operation that the world's own user has.
func opIDOf(t *testing.T, w *world) (opID string) {
	t.Helper()
	err := w.parts.DB.Tx(t.Context(), w.tenant, func(ctx context.Context, tx pgx.Tx) error {
		return tx.QueryRow(ctx, "SELECT op_id FROM operations WHERE tenant_id = $1", w.tenant.String()).Scan(&opID)
	})
	if err != nil {
		t.Fatal(err)
	}
	return opID
}
