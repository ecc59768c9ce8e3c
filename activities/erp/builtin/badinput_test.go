package builtin_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// counter is a shop with some papers on the desk, to be asked for nonsense.
type counter struct {
	*actor
	t *testing.T
	// draft, submitted, examined, drawn and closed are orders of C-1 in these states
	// (drawn: a delivery hangs on it); dollars is an examined one of C-2, elsewhere one
	// from the other warehouse; foreign is an examined order that only another company has.
	draft, submitted, examined, drawn, closed, dollars, elsewhere, foreign string
	// delivery draws from drawn; invoice is examined and open.
	delivery, invoice string
}

func newCounter(t *testing.T) *counter {
	t.Helper()
	ctx := context.Background()
	l := newMall(t)
	s, err := l.open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	other, err := l.open(ctx)
	if err != nil {
		t.Fatal(err)
	}
	c := &counter{actor: &actor{shop: s, conn: l.conn}, t: t}
	create := func(a *actor, p m, examine bool) string {
		t.Helper()
		if p["lines"] == nil {
			p["lines"] = []m{{"product": "P-1", "quantity": "4"}, {"product": "P-2", "quantity": "2.5", "unit": "袋"}}
		}
		n := a.write(ctx, t, "sales_order", "create", "", p)
		if examine {
			a.write(ctx, t, "sales_order", "examine", n, m{})
		}
		return n
	}
	c.draft = create(c.actor, m{"customer": "C-1", "status": "draft"}, false)
	c.submitted = create(c.actor, m{"customer": "C-1"}, false)
	c.examined = create(c.actor, m{"customer": "C-1"}, true)
	c.drawn = create(c.actor, m{"customer": "C-1"}, true)
	c.delivery = c.write(ctx, t, "delivery", "generate", "", m{"sources": c.drawn, "lines": []m{{"source": c.drawn, "line_no": 1, "quantity": "3"}}})
	c.closed = create(c.actor, m{"customer": "C-1"}, true)
	c.write(ctx, t, "sales_order", "close", c.closed, m{})
	c.dollars = create(c.actor, m{"customer": "C-2"}, true)
	c.elsewhere = create(c.actor, m{"customer": "C-1", "warehouse": "WH-2"}, true)
	whole := create(c.actor, m{"customer": "C-1"}, true)
	dn := c.write(ctx, t, "delivery", "generate", "", m{"sources": whole})
	c.write(ctx, t, "delivery", "examine", dn, m{})
	c.invoice = c.write(ctx, t, "receivable", "generate", "", m{"sources": dn})
	c.write(ctx, t, "receivable", "examine", c.invoice, m{})
	for range 20 { // numbers that only the other company has
		c.foreign = create(&actor{shop: other, conn: l.conn}, m{"customer": "C-1", "lines": []m{{"product": "P-1", "quantity": "1"}}}, true)
	}
	if _, err := l.conn.Exec(ctx, "INSERT INTO erp.customer (tenant_id, code, name, region, currency) VALUES ($1, 'C-THERE', '别家', 'east', 'CNY')", other.tenant); err != nil {
		t.Fatal(err)
	}
	return c
}

func (a *actor) write(ctx context.Context, t *testing.T, form, action, target string, payload m) string {
	t.Helper()
	c := changing(form, action, target, payload)
	p, err := a.c.Preview(ctx, a.id, c)
	if err != nil {
		t.Fatalf("%s %s %s: %v %+v", form, action, c.Payload, err, fault.ProblemsOf(err))
	}
	got, err := a.c.Execute(ctx, a.id, confirmed(c, p))
	if err != nil || got.Status != nouns.CommitExecuted {
		t.Fatalf("%s %s: %+v %+v %v", form, action, got, got.Refusal, err)
	}
	return got.Bill
}

// refuses previews, and executes without a preview, what must not be done. field
// is the place of the first problem.
func (c *counter) refuses(name string, ch nouns.Change, field string) {
	c.t.Helper()
	ctx := context.Background()
	_, err := c.c.Preview(ctx, c.id, ch)
	problems := fault.ProblemsOf(err)
	if fault.CodeOf(err) != fault.ValidationFailed || len(problems) == 0 || problems[0].Field != field || problems[0].Detail == "" || strings.Contains(problems[0].Detail, "数据库") {
		c.t.Errorf("%s: %v %+v, want validation_failed of %q", name, err, problems, field)
		return
	}
	x := confirmed(ch, nouns.Preview{Payload: ch.Payload})
	got, err := c.c.Execute(ctx, c.id, x)
	if err != nil || got.Status != nouns.CommitRefused {
		c.t.Errorf("%s, executed: %+v %v, want a refusal", name, got, err)
	}
}

// unharmed runs what must change nothing.
func (c *counter) unharmed(ask func()) {
	c.t.Helper()
	ctx := context.Background()
	// The answers under the tokens are kept, and nothing else.
	if _, err := c.conn.Exec(ctx, "DELETE FROM erp.commits WHERE tenant_id = $1", c.tenant); err != nil {
		c.t.Fatal(err)
	}
	before := c.fingerprint(ctx, c.t)
	ask()
	if _, err := c.conn.Exec(ctx, "DELETE FROM erp.commits WHERE tenant_id = $1", c.tenant); err != nil {
		c.t.Fatal(err)
	}
	if c.fingerprint(ctx, c.t) != before {
		c.t.Error("something was written")
	}
	broken, err := c.broken(ctx)
	if err != nil || len(broken) > 0 {
		c.t.Errorf("%v %v", broken, err)
	}
}

func rawChange(form, action, target, payload string) nouns.Change {
	return nouns.Change{Form: form, Action: action, Target: target, Payload: json.RawMessage(payload)}
}

func TestBadValuesAreRefusedFieldByField(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	order := func(kv ...any) m {
		p := m{"customer": "C-1", "lines": []m{{"product": "P-1", "quantity": "1"}}}
		for i := 0; i < len(kv); i += 2 {
			p[kv[i].(string)] = kv[i+1]
		}
		return p
	}
	one := func(kv ...any) m {
		l := m{"product": "P-1", "quantity": "1"}
		for i := 0; i < len(kv); i += 2 {
			l[kv[i].(string)] = kv[i+1]
		}
		return order("lines", []m{l})
	}
	c.unharmed(func() {
		for _, q := range []any{"1e30", "NaN", "-NaN", "Infinity", "0x10", "１０", "٣", "1e999999999", "1E5", json.Number("1e30"), json.Number("1E-5"), "-1", "0", "0.000", "-0", "", " ", "1,000", "1 000",
			"+-1", "1.5", "1.0001", "0.0000000000000000000001", "1000001", strings.Repeat("9", 41), strings.Repeat("9", 5000), true, nil, []int{1}, m{"a": 1}, "1;2", "1'--", "一", "½", "1_0", "0b1"} {
			c.refuses(fmt.Sprintf("the quantity %.40v", q), changing("sales_order", "create", "", one("quantity", q)), "lines[1].quantity")
			c.refuses(fmt.Sprintf("the bought quantity %.40v", q), changing("purchase_order", "create", "", m{"supplier": "S-1", "lines": one("quantity", q)["lines"]}), "lines[1].quantity")
		}
		for _, q := range []any{"0", "0.5", "NaN", "-1e3", "-1000001", nil} {
			c.refuses(fmt.Sprintf("the adjustment %v", q), changing("stock_adjustment", "create", "", m{"reason": "count", "lines": []m{{"product": "P-1", "quantity": q}}}), "lines[1].quantity")
		}
		for _, d := range []any{"2026-02-30", "2025-02-29", "0000-00-00", "99999-01-01", "9999-12-31", "1899-12-31", "2026-13-01", "2026-1-1", "20260101", "2026-01-01T00:00:00Z", "٢٠٢٦-٠١-٠١", "２０２６-01-01", "today'; --",
			"-2026-01-01", json.Number("20260101"), true, []string{"2026-01-01"}} {
			c.refuses(fmt.Sprintf("the day %v", d), changing("sales_order", "create", "", order("order_date", d)), "order_date")
			c.refuses(fmt.Sprintf("the new day %v", d), changing("sales_order", "update", c.draft, m{"delivery_date": d}), "delivery_date")
		}
		for _, s := range []string{"a\x00b", "\x07", "a\x1b[31mb", "a\u0085b", "\u202eabc", "a\u2066b", strings.Repeat("长", 501)} {
			c.refuses(fmt.Sprintf("the remark %.20q", s), changing("sales_order", "create", "", order("remark", s)), "remark")
			c.refuses(fmt.Sprintf("the name %.20q", s), changing("customer", "create", "", m{"name": s, "region": "east", "currency": "CNY"}), "name")
		}
		for field, values := range map[string][]any{
			"customer":      {"C-THERE", "C-404", "' OR 1=1 --", "c-1", "", nil, 1, []string{"C-1"}, m{"code": "C-1"}, "C-1\u202e"},
			"warehouse":     {"WH-404", "'; DROP TABLE erp.users; --", true},
			"delivery_date": {"2020-01-01"},
			"status":        {"examined", "closed", "x' OR '1'='1"},
			"number":        {"SO-000001"}, "total": {"1"}, "currency": {"USD"}, "exchange_rate": {"1"}, "version": {1}, "tenant_id": {"shop.s2"}, "created_by": {"boss"},
			"bUpdate": {"1", nil}, `x" = 1; --`: {"1"},
		} {
			for _, v := range values {
				c.refuses(fmt.Sprintf("%s %v", field, v), changing("sales_order", "create", "", order(field, v)), field)
			}
		}
		for field, values := range map[string][]any{
			"product": {"P-404", "", nil, "' OR 1=1", "P-1\x00", 7}, "unit": {"条", "'; --", "盒\u202e", strings.Repeat("箱", 21)}, "unit_price": {"1"}, "factor": {"1"}, "line_no": {1}, "bUpdate": {1}, "source": {c.examined},
		} {
			for _, v := range values {
				c.refuses(fmt.Sprintf("a line's %s %v", field, v), changing("sales_order", "create", "", one(field, v)), "lines[1]."+field)
			}
		}
		for _, price := range []any{"-1", "1e3", "NaN", "1.00001", "100000000000000000000", "十"} {
			c.refuses(fmt.Sprintf("the price %v", price), changing("purchase_order", "create", "", m{"supplier": "S-1", "lines": one("unit_price", price)["lines"]}), "lines[1].unit_price")
		}
		c.refuses("no price at all", changing("purchase_order", "create", "", m{"supplier": "S-2", "lines": []m{{"product": "P-2", "quantity": "1"}}}), "lines[1].unit_price")
		c.refuses("not made here", changing("production_order", "create", "", m{"lines": []m{{"product": "P-1", "quantity": "1"}}}), "lines[1].product")
		c.refuses("into the same warehouse", changing("stock_transfer", "create", "", m{"to_warehouse": "WH-1", "lines": []m{{"product": "P-1", "quantity": "1"}}}), "to_warehouse")
		c.refuses("more than there is", changing("sales_order", "create", "", one("quantity", "100000")), "lines[1].quantity")
		c.refuses("more than there is, to be taken away", changing("stock_adjustment", "create", "", m{"reason": "count", "lines": []m{{"product": "P-1", "quantity": "-100000"}}}), "lines[1].quantity")
	})
}

func TestBadShapesAreRefused(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	many := func(n int) string {
		return strings.TrimSuffix(strings.Repeat(`{"product":"P-1","quantity":1},`, n), ",")
	}
	deep := strings.Repeat("[", 200_000) + strings.Repeat("]", 200_000)
	c.unharmed(func() {
		for name, x := range map[string]struct{ payload, field string }{
			"nothing": {"", ""}, "null": {"null", ""}, "a list": {"[]", ""}, "a text": {`"x"`, ""}, "cut off": {`{"customer":`, ""}, "two objects": {`{}{}`, ""},
			"twice the same key":  {`{"customer":"C-1","customer":"C-2","lines":[` + many(1) + `]}`, ""},
			"twice, in a line":    {`{"customer":"C-1","lines":[{"product":"P-1","quantity":1,"quantity":2}]}`, "lines[1]"},
			"not UTF-8":           {"{\"customer\":\"C-1\",\"remark\":\"a\xffb\",\"lines\":[" + many(1) + "]}", ""},
			"deep":                {`{"customer":"C-1","remark":` + deep + `,"lines":[` + many(1) + `]}`, ""},
			"deep lines":          {`{"customer":"C-1","lines":` + deep + `}`, ""},
			"less deep":           {`{"customer":"C-1","remark":` + deep[190_000:210_000][5_000:15_000] + `,"lines":[` + many(1) + `]}`, "remark"},
			"2 MB":                {`{"customer":"C-1","remark":"` + strings.Repeat("x", 2<<20) + `","lines":[` + many(1) + `]}`, ""},
			"no lines":            {`{"customer":"C-1","lines":[]}`, "lines"},
			"lines are null":      {`{"customer":"C-1","lines":null}`, "lines"},
			"lines are left out":  {`{"customer":"C-1"}`, "lines"},
			"lines are an object": {`{"customer":"C-1","lines":{"product":"P-1"}}`, "lines"},
			"a line is a number":  {`{"customer":"C-1","lines":[1]}`, "lines[1]"},
			"101 lines":           {`{"customer":"C-1","lines":[` + many(101) + `]}`, "lines"},
			"10,000 lines":        {`{"customer":"C-1","lines":[` + many(10_000) + `]}`, "lines"},
			"1,000 unknown keys": {`{"a0":1` + func() string {
				var b strings.Builder
				for i := range 999 {
					fmt.Fprintf(&b, `,"b%d":1`, i)
				}
				return b.String()
			}() + `}`, "a0"},
		} {
			c.refuses(name, rawChange("sales_order", "create", "", x.payload), x.field)
		}
		for name, x := range map[string]struct{ payload, field string }{
			"nothing": {`{}`, ""}, "empty": {"", ""}, "2 MB": {`{"contact":"` + strings.Repeat("x", 2<<20) + `"}`, ""}, "not UTF-8": {"{\"contact\":\"\xc3\"}", ""}, "twice": {`{"contact":"a","contact":"b"}`, ""},
			"unknown": {`{"bUpdate":"1"}`, "bUpdate"}, "key": {`{"code":"C-9"}`, "code"}, "null": {`{"contact":null}`, "contact"}, "deep": {`{"contact":` + deep + `}`, ""},
		} {
			c.refuses("update: "+name, rawChange("customer", "update", "C-1", x.payload), x.field)
		}
		for name, x := range map[string]struct {
			c     nouns.Change
			field string
		}{
			"an unknown action":     {changing("sales_order", "explode", c.examined, m{}), "action"},
			"SQL for an action":     {changing("sales_order", "cancel'; --", c.examined, m{}), "action"},
			"a read action":         {changing("sales_order", "export", c.examined, m{}), "action"},
			"an action of another":  {changing("stock", "create", "", m{}), "action"},
			"a report is no record": {changing("ar_ageing", "update", "x", m{"a": 1}), "action"},
			"create with a target":  {changing("sales_order", "create", c.examined, m{"customer": "C-1"}), "target"},
			"examine without one":   {changing("sales_order", "examine", "", m{}), "target"},
			"another kind": {func() nouns.Change {
				x := changing("sales_order", "examine", c.submitted, m{})
				x.OpType = nouns.OpDelete
				return x
			}(), "op_type"},
			"made by generate only": {changing("delivery", "create", "", m{"lines": []m{{"product": "P-1", "quantity": "1"}}}), "action"},
			"an unknown argument":   {changing("sales_order", "cancel", c.submitted, m{"refund": true}), "refund"},
			"a long reason":         {changing("sales_order", "cancel", c.submitted, m{"reason": strings.Repeat("因", 201)}), "reason"},
		} {
			c.refuses(name, x.c, x.field)
		}
		for _, target := range []string{"SO-999999", c.foreign, "' OR 1=1 --", strings.Repeat("9", 10_000), "SO-000001\x00", "\xff", "\u202e"} {
			for _, action := range []string{"examine", "cancel", "delete", "update"} {
				payload := m{}
				if action == "update" {
					payload["remark"] = "x"
				}
				if _, err := c.c.Preview(context.Background(), c.id, changing("sales_order", action, target, payload)); fault.CodeOf(err) != fault.NotFound {
					t.Errorf("%s of %.30q: %v", action, target, err)
				}
			}
		}
		for _, form := range []string{"", "no_such_form", "users", "sales_order_line", "sales_order; DROP TABLE erp.users", "sales_order\x00", "\xff", strings.Repeat("x", 10_000)} {
			if _, err := c.c.Preview(context.Background(), c.id, changing(form, "create", "", m{})); fault.CodeOf(err) != fault.PermissionDenied {
				t.Errorf("form %.30q: %v", form, err)
			}
		}
	})
}

func TestTextOfAnyScriptIsKeptAsItIs(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	ctx := context.Background()
	for _, s := range []string{"مرحبا بالعالم", "שלום", "👩‍👩‍👧‍👦🏳️‍🌈", "ก็ผม", "ʻOkina ǅ ß ﬁ", "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A", "𠮷野家 㐀", "línea 1\nlínea 2\tfin", "'; DROP TABLE erp.users; --", `\"{}$1%s<script>`, "\u200fRTL\u200e"} {
		n := c.write(ctx, t, "sales_order", "create", "", m{"customer": "C-1", "remark": s, "lines": []m{{"product": "P-2", "quantity": "0.001"}}})
		p, err := c.c.Read(ctx, c.id, nouns.Query{Form: "sales_order", Mode: nouns.Record, ID: n})
		if err != nil || p.Record["remark"] != s {
			t.Errorf("%q came back as %q (%v)", s, p.Record["remark"], err)
		}
	}
}

func TestBadGeneratesAreRefused(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	gen := func(form string, sources any, kv ...any) nouns.Change {
		p := m{"sources": sources}
		for i := 0; i < len(kv); i += 2 {
			p[kv[i].(string)] = kv[i+1]
		}
		return changing(form, "generate", "", p)
	}
	of := func(source string, line any, quantity any) m {
		return m{"source": source, "line_no": line, "quantity": quantity}
	}
	many := make([]string, 51)
	for i := range many {
		many[i] = fmt.Sprintf("SO-%06d", i)
	}
	lots := make([]m, 501)
	for i := range lots {
		lots[i] = of(c.examined, i, "1")
	}
	c.unharmed(func() {
		for name, x := range map[string]struct {
			c     nouns.Change
			field string
		}{
			"no sources":                {gen("delivery", []string{}), "sources"},
			"sources are null":          {gen("delivery", nil), "sources"},
			"51 sources":                {gen("delivery", many), "sources"},
			"sources are numbers":       {gen("delivery", []int{1}), "sources"},
			"an unknown source":         {gen("delivery", "SO-999999"), "sources"},
			"SQL for a source":          {gen("delivery", "' OR 1=1--"), "sources"},
			"a source with a NUL":       {gen("delivery", []string{"SO-1\x00"}), "sources"},
			"a source of another house": {gen("delivery", c.foreign), "sources"},
			"a source of another form":  {gen("delivery", c.delivery), "sources"},
			"the wrong form":            {gen("delivery", c.examined, "source_form", "quotation"), "source_form"},
			"an unknown mode":           {gen("delivery", c.examined, "mode", "explode"), "mode"},
			"a draft":                   {gen("delivery", c.draft), "sources"},
			"not examined":              {gen("delivery", c.submitted), "sources"},
			"closed":                    {gen("delivery", c.closed), "sources"},
			"two currencies":            {gen("delivery", []string{c.examined, c.dollars}), "sources"},
			"two warehouses":            {gen("delivery", []string{c.examined, c.elsewhere}), "sources"},
			"two partners, split":       {gen("delivery", []string{c.examined, c.dollars}, "mode", "split"), "sources"},
			"twice the same line":       {gen("delivery", c.examined, "lines", []m{of(c.examined, 1, "1"), of(c.examined, 1, "1")}), "lines[2]"},
			"a line of another":         {gen("delivery", c.examined, "lines", []m{of(c.drawn, 2, "1")}), "lines[1].source"},
			"no such line":              {gen("delivery", c.examined, "lines", []m{of(c.examined, 9, "1")}), "lines[1].line_no"},
			"line minus one":            {gen("delivery", c.examined, "lines", []m{of(c.examined, -1, "1")}), "lines[1].line_no"},
			"no line number":            {gen("delivery", c.examined, "lines", []m{{"source": c.examined}}), "lines[1].line_no"},
			"a huge line number":        {gen("delivery", c.examined, "lines", []m{of(c.examined, "99999999999999999999", "1")}), "lines[1].line_no"},
			"more than remains":         {gen("delivery", c.examined, "lines", []m{of(c.examined, 1, "4.001")}), "lines[1].quantity"},
			"more than others left":     {gen("delivery", c.drawn, "lines", []m{of(c.drawn, 1, "2")}), "lines[1].quantity"},
			"nothing":                   {gen("delivery", c.examined, "lines", []m{of(c.examined, 1, "0")}), "lines[1].quantity"},
			"less than nothing":         {gen("delivery", c.examined, "lines", []m{of(c.examined, 1, "-1")}), "lines[1].quantity"},
			"no number":                 {gen("delivery", c.examined, "lines", []m{of(c.examined, 1, "1e1")}), "lines[1].quantity"},
			"a list for a number":       {gen("delivery", c.examined, "lines", []m{of(c.examined, 1, []int{1})}), "lines[1].quantity"},
			"half a box":                {gen("delivery", c.examined, "lines", []m{of(c.examined, 1, "0.5")}), "lines[1].quantity"},
			"a third of a bag":          {gen("delivery", c.examined, "lines", []m{of(c.examined, 2, "0.333")}), "lines[1].quantity"},
			"four decimals":             {gen("delivery", c.examined, "lines", []m{of(c.examined, 2, "0.0004")}), "lines[1].quantity"},
			"an unknown key in a line":  {gen("delivery", c.examined, "lines", []m{{"source": c.examined, "line_no": 1, "bUpdate": 1}}), "lines[1].bUpdate"},
			"501 lines":                 {gen("delivery", c.examined, "lines", lots), "lines"},
			"lines are no list":         {gen("delivery", c.examined, "lines", "all"), "lines"},
			"another customer":          {gen("delivery", c.examined, "customer", "C-2"), "customer"},
			"another warehouse":         {gen("delivery", c.examined, "warehouse", "WH-2"), "warehouse"},
			"an unknown key":            {gen("delivery", c.examined, "bUpdate", "1"), "bUpdate"},
			"a bad day":                 {gen("delivery", c.examined, "delivery_date", "2026-02-30"), "delivery_date"},
			"an invoice not delivered":  {gen("receivable", c.delivery), "sources"},
			"more than is owed":         {gen("receipt", c.invoice, "lines", []m{{"source": c.invoice, "amount": "1000000"}}), "lines[1].amount"},
			"a tenth of a fen":          {gen("receipt", c.invoice, "lines", []m{{"source": c.invoice, "amount": "0.001"}}), "lines[1].amount"},
			"paid by somebody else":     {changing("receipt", "create", "", m{"customer": "C-2", "lines": []m{{"source": c.invoice}}}), "lines"},
			"paid twice in one":         {changing("receipt", "create", "", m{"customer": "C-1", "lines": []m{{"source": c.invoice, "amount": "1"}, {"source": c.invoice, "amount": "1"}}}), "lines"},
			"paid what is not there":    {changing("receipt", "create", "", m{"customer": "C-1", "lines": []m{{"source": "AR-999999"}}}), "sources"},
		} {
			c.refuses(name, x.c, x.field)
		}
	})
}

func TestActionsAreRefusedInOtherStates(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	order := map[string]string{"draft": c.draft, "submitted": c.submitted, "examined": c.examined, "drawn": c.drawn, "closed": c.closed}
	allowed := map[string][]string{"draft": {"submit", "cancel", "delete", "update"}, "submitted": {"examine", "withdraw", "cancel"}, "examined": {"unexamine", "close", "cancel"}}
	c.unharmed(func() {
		for _, state := range slices.Sorted(maps.Keys(order)) {
			for _, action := range []string{"submit", "withdraw", "examine", "unexamine", "close", "cancel", "delete", "update"} {
				payload := m{}
				if action == "update" {
					payload["remark"] = "x"
				}
				if slices.Contains(allowed[state], action) {
					if _, err := c.c.Preview(context.Background(), c.id, changing("sales_order", action, order[state], payload)); err != nil {
						t.Errorf("%s of an order that is %s: %v", action, state, err)
					}
					continue
				}
				c.refuses(action+" of an order that is "+state, changing("sales_order", action, order[state], payload), "status")
			}
		}
		c.refuses("cancelling what was drawn", changing("sales_order", "cancel", c.drawn, m{}), "status")
		c.refuses("examining an invoice again", changing("receivable", "examine", c.invoice, m{}), "status")
	})
}

func TestWhoComesSecondIsShownBothVersions(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	ctx := context.Background()
	for _, x := range []struct {
		form, target string
		mine, theirs m
		old, new     string
	}{
		{"sales_order", c.draft, m{"remark": "mine"}, m{"remark": "theirs"}, "", "theirs"},
		{"sales_order", c.draft, m{"remark": "mine again"}, m{"delivery_date": "2199-01-01"}, "2", "3"},
		{"customer", "C-3", m{"contact": "mine"}, m{"contact": "theirs"}, "", "theirs"},
		{"product", "P-4", m{"name": "mine"}, m{"base_price": "12.6"}, "1", "2"},
	} {
		ch := changing(x.form, "update", x.target, x.mine)
		p, err := c.c.Preview(ctx, c.id, ch)
		if err != nil {
			t.Fatal(err)
		}
		c.write(ctx, t, x.form, "update", x.target, x.theirs)
		got, err := c.c.Execute(ctx, c.id, confirmed(ch, p))
		if err != nil || got.Status != nouns.CommitRefused || got.Refusal.Code != string(fault.RecordChanged) || got.Refusal.Fact == nil || got.Refusal.Old != x.old || got.Refusal.New != x.new {
			t.Errorf("%s %v: %+v %+v %v, want %q and %q", x.form, x.mine, got, got.Refusal, err, x.old, x.new)
		}
	}
}

func TestBadReadsAreRefused(t *testing.T) {
	t.Parallel()
	c := newCounter(t)
	ctx := context.Background()
	f := func(field string, op nouns.Op, v string) []nouns.Filter {
		return []nouns.Filter{{Field: field, Op: op, Value: json.RawMessage(v)}}
	}
	list := nouns.Query{Form: "sales_order", Limit: 2}
	page, err := c.c.Read(ctx, c.id, list)
	if err != nil || page.NextCursor == "" {
		t.Fatalf("%+v %v", page, err)
	}
	fifty := "[" + strings.TrimSuffix(strings.Repeat(`"x",`, 51), ",") + "]"
	c.unharmed(func() {
		for name, q := range map[string]nouns.Query{
			"a field of nobody":      {Filters: f("bUpdate", nouns.Eq, `"1"`)},
			"a column, no field":     {Filters: f("tenant_id", nouns.Eq, `"x"`)},
			"SQL for a field":        {Filters: f(`number" = '' OR 1=1 --`, nouns.Eq, `"1"`)},
			"a field with a NUL":     {Filters: f("number\x00", nouns.Eq, `"1"`)},
			"no field":               {Filters: f("", nouns.Eq, `"1"`)},
			"no filter of the form":  {Filters: f("exchange_rate", nouns.Eq, `"1"`)},
			"lines":                  {Filters: f("lines", nouns.Eq, `"1"`)},
			"an unknown operator":    {Filters: f("number", "like", `"S%"`)},
			"no operator":            {Filters: f("number", "", `"S"`)},
			"SQL for an operator":    {Filters: f("total", "> 0 OR 1 =", `"1"`)},
			"contains for a number":  {Filters: f("total", nouns.Contains, `"1"`)},
			"less for an option":     {Filters: f("status", nouns.Lt, `"draft"`)},
			"a number with exponent": {Filters: f("total", nouns.Gt, `1e30`)},
			"NaN":                    {Filters: f("total", nouns.Gt, `"NaN"`)},
			"no JSON":                {Filters: f("total", nouns.Gt, `1e`)},
			"no value":               {Filters: f("total", nouns.Gt, ``)},
			"null":                   {Filters: f("total", nouns.Gt, `null`)},
			"a list":                 {Filters: f("total", nouns.Gt, `["1"]`)},
			"no such day":            {Filters: f("order_date", nouns.Gte, `"2026-02-30"`)},
			"a day too far":          {Filters: f("order_date", nouns.Gte, `"99999-01-01"`)},
			"a pair of three":        {Filters: f("order_date", nouns.Between, `["2026-01-01","2026-01-02","2026-01-03"]`)},
			"no option":              {Filters: f("status", nouns.Eq, `"open"`)},
			"51 values":              {Filters: f("number", nouns.In, fifty)},
			"no values":              {Filters: f("number", nouns.In, `[]`)},
			"a long value":           {Filters: f("number", nouns.Eq, `"`+strings.Repeat("x", 1001)+`"`)},
			"a NUL":                  {Filters: f("number", nouns.Eq, `"a\u0000"`)},
			"turned letters":         {Filters: f("number", nouns.Eq, `"a\u202e"`)},
			"21 filters":             {Filters: slices.Repeat(f("number", nouns.Ne, `"x"`), 21)},
			"four sorts":             {Sort: []nouns.Sort{{Field: "number"}, {Field: "total"}, {Field: "status"}, {Field: "order_date"}}},
			"sorted by nobody":       {Sort: []nouns.Sort{{Field: "remark"}}},
			"sorted by SQL":          {Sort: []nouns.Sort{{Field: "number; DROP TABLE erp.users"}}},
			"an unknown column":      {Fields: []string{"number", "password_hash"}},
			"lines in a list":        {Fields: []string{"lines"}},
			"limit 51":               {Limit: 51},
			"limit -1":               {Limit: -1},
			"an unknown mode":        {Mode: "delete"},
			"a record without key":   {Mode: nouns.Record},
			"a long key":             {Mode: nouns.Record, ID: strings.Repeat("9", 201)},
			"another order's cursor": {Cursor: page.NextCursor, Sort: []nouns.Sort{{Field: "total"}}},
			"another filter's":       {Cursor: page.NextCursor, Filters: f("status", nouns.Eq, `"draft"`)},
			"half a cursor":          {Cursor: page.NextCursor[:len(page.NextCursor)/2]},
			"no cursor":              {Cursor: "' OR 1=1 --"},
			"a long cursor":          {Cursor: strings.Repeat("A", 100_000)},
		} {
			q.Form = "sales_order"
			_, err := c.c.Read(ctx, c.id, q)
			if fault.CodeOf(err) != fault.Invalid || fault.ParamsOf(err)["detail"] == "" {
				t.Errorf("%s: %v, want invalid", name, err)
			}
			if _, named := fault.ParamsOf(err)["field"]; !named {
				t.Errorf("%s: the field is not named", name)
			}
		}
		if _, err := c.c.Read(ctx, c.id, nouns.Query{Form: "quotation", Cursor: page.NextCursor}); fault.CodeOf(err) != fault.Invalid {
			t.Errorf("the cursor of another form: %v", err)
		}
		for _, key := range []string{"SO-999999", c.foreign, "' OR 1=1 --", "SO-1\x00", "\xff"} {
			if _, err := c.c.Read(ctx, c.id, nouns.Query{Form: "sales_order", Mode: nouns.Record, ID: key}); fault.CodeOf(err) != fault.NotFound {
				t.Errorf("the record %q: %v", key, err)
			}
		}
		for _, form := range []string{"", "users", "erp.users", "sales_order_line", "no_such", "customer\x00", "\xff", strings.Repeat("x", 10_000)} {
			if _, err := c.c.Read(ctx, c.id, nouns.Query{Form: form}); fault.CodeOf(err) != fault.PermissionDenied {
				t.Errorf("the form %.20q: %v", form, err)
			}
			if _, err := c.c.Lookup(ctx, c.id, form, "x", 5); fault.CodeOf(err) != fault.PermissionDenied {
				t.Errorf("a lookup in the form %.20q: %v", form, err)
			}
		}
		for _, text := range []string{"C-THERE", "' OR 1=1 --", "%", "_", "\x00", "\xff", "\u202e甲", strings.Repeat("甲", 100_000)} {
			rows, err := c.c.Lookup(ctx, c.id, "customer", text, 5)
			if len(rows) != 0 || err != nil && fault.CodeOf(err) != fault.Invalid {
				t.Errorf("lookup of %.20q: %v %v", text, rows, err)
			}
		}
		for _, key := range []string{"", "C-1\x00", "\xff", strings.Repeat("9", 201)} {
			if _, err := c.c.History(ctx, c.id, "customer", key); err != nil && fault.CodeOf(err) != fault.Invalid {
				t.Errorf("the history of %.20q: %v", key, err)
			}
		}
	})
}
