package builtin_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/uuid"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/erp/builtin"
	"github.com/erpilot/erpilot/activities/store/pgtest"
	"github.com/erpilot/erpilot/schema/demo"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// office is a person with all rights at work on a fresh demo company.
type office struct {
	*world
	c    *builtin.Connector
	id   erp.Identity
	conn *pgx.Conn
}

type m = map[string]any

func newOffice(t *testing.T) *office {
	t.Helper()
	url := pgtest.NewDemoDatabase(t)
	d := &office{world: &world{t: t, url: url, tenant: demo.Tenants()[0].String()}, c: builtin.New(open(t, url)), conn: connect(t, url)}
	user, grants, err := d.c.User(context.Background(), demo.Tenants()[0], "wang")
	if err != nil {
		t.Fatal(err)
	}
	d.id = erp.Identity{User: user, Grants: grants}
	return d
}

func (d *office) sql(sql string, args ...any) {
	d.t.Helper()
	if err := d.exec(context.Background(), sql, args...); err != nil {
		d.t.Fatalf("%s: %v", sql, err)
	}
}

// text reads one text; $1 is the tenant.
func (d *office) text(sql string, args ...any) string {
	d.t.Helper()
	var s string
	if err := d.conn.QueryRow(context.Background(), sql, append([]any{d.tenant}, args...)...).Scan(&s); err != nil {
		d.t.Fatalf("%s: %v", sql, err)
	}
	return s
}

// put adds to the stock of a product in WH-01.
func (d *office) put(product, quantity string) {
	d.t.Helper()
	if err := d.disturb().Stock(context.Background(), product, quantity); err != nil {
		d.t.Fatal(err)
	}
}

// stock is "on hand/allocated" of a product in a warehouse.
func (d *office) stock(product, warehouse string) string {
	d.t.Helper()
	return d.text("SELECT coalesce((SELECT trim_scale(quantity) || '/' || trim_scale(allocated) FROM erp.stock WHERE tenant_id = $1 AND product = $2 AND warehouse = $3), 'none')", product, warehouse)
}

func (d *office) status(form, number string) string {
	d.t.Helper()
	return d.text("SELECT status FROM erp."+form+" WHERE tenant_id = $1 AND number = $2", number)
}

func (d *office) column(form, number, column string) string {
	d.t.Helper()
	return d.text("SELECT "+column+"::text FROM erp."+form+" WHERE tenant_id = $1 AND number = $2", number)
}

func changing(form, action, target string, payload any) nouns.Change {
	raw, err := json.Marshal(payload)
	if err != nil {
		panic(err)
	}
	return nouns.Change{Form: form, Action: action, Target: target, Payload: raw}
}

func (d *office) preview(c nouns.Change) (nouns.Preview, nouns.Execution) {
	d.t.Helper()
	p, err := d.c.Preview(context.Background(), d.id, c)
	if err != nil {
		d.t.Fatalf("%s %s %s %s: %v %+v", c.Form, c.Action, c.Target, c.Payload, err, fault.ProblemsOf(err))
	}
	c.Payload = p.Payload
	op := uuid.NewString()
	return p, nouns.Execution{ClientToken: "op:" + op + ":1", Digest: "d", Change: c, Facts: p.Facts, Deadline: time.Now().Add(time.Hour), Attempt: 1,
		OpID: op, DecidedBy: "wang", Channel: "web"}
}

func (d *office) execute(x nouns.Execution) nouns.Commit {
	d.t.Helper()
	got, err := d.c.Execute(context.Background(), d.id, x)
	if err != nil {
		d.t.Fatalf("%s %s: %v", x.Change.Form, x.Change.Action, err)
	}
	return got
}

// do previews and executes, and holds the result against the preview.
func (d *office) do(form, action, target string, payload any) (nouns.Commit, nouns.Preview) {
	d.t.Helper()
	p, x := d.preview(changing(form, action, target, payload))
	got := d.execute(x)
	if got.Status != nouns.CommitExecuted {
		d.t.Fatalf("%s %s %s: %+v %+v", form, action, target, got, got.Refusal)
	}
	var was nouns.Preview
	if err := json.Unmarshal([]byte(d.text("SELECT result::text FROM erp.commits WHERE tenant_id = $1 AND client_token = $2", x.ClientToken)), &was); err != nil {
		d.t.Fatal(err)
	}
	// That lines were merged is said of what was keyed in, not of what is written.
	p.Provisional, p.Notes, was.Notes = false, nil, nil
	var a, b any
	for raw, into := range map[*nouns.Preview]*any{&p: &a, &was: &b} {
		j, _ := json.Marshal(raw)
		_ = json.Unmarshal(j, into)
	}
	if diff := cmp.Diff(a, b); diff != "" {
		d.t.Errorf("%s %s: the result differs from the preview (-preview +result):\n%s", form, action, diff)
	}
	return got, p
}

func (d *office) bill(form, action, target string, payload any) string {
	d.t.Helper()
	got, _ := d.do(form, action, target, payload)
	return got.Bill
}

// wrong previews what must be refused, and returns the fields that are wrong.
func (d *office) wrong(form, action, target string, payload any) string {
	d.t.Helper()
	_, err := d.c.Preview(context.Background(), d.id, changing(form, action, target, payload))
	if fault.CodeOf(err) != fault.ValidationFailed {
		d.t.Fatalf("%s %s %s: %v, want validation_failed", form, action, target, err)
	}
	var fields []string
	for _, p := range fault.ProblemsOf(err) {
		if p.Detail == "" {
			d.t.Errorf("the problem of %s says nothing", p.Field)
		}
		fields = append(fields, p.Field)
	}
	return strings.Join(fields, " ")
}

func line(product, quantity string) m { return m{"product": product, "quantity": quantity} }

func order(lines ...m) m { return m{"customer": "C-0001", "lines": lines} }

func from(source string, numbers ...string) m {
	return m{"source_form": source, "sources": numbers}
}

// consistent checks what must always hold, over all documents of the tenant.
func (d *office) consistent() {
	d.t.Helper()
	for what, sql := range map[string]string{
		"stock is the sum of the ledger": `SELECT string_agg(s.key, ' ') FROM erp.stock s WHERE s.tenant_id = $1 AND s.quantity <>
			(SELECT coalesce(sum(l.quantity), 0) FROM erp.stock_ledger l WHERE (l.tenant_id, l.product, l.warehouse) = (s.tenant_id, s.product, s.warehouse))`,
		"allocated is what open orders have not delivered": `SELECT string_agg(s.key || ' ' || s.allocated || ' ' || coalesce(x.open, 0), ', ') FROM erp.stock s LEFT JOIN (
			SELECT l.product, o.warehouse, sum((l.quantity - coalesce((SELECT sum(dl.quantity) FROM erp.delivery_line dl JOIN erp.delivery d ON d.tenant_id = dl.tenant_id AND d.number = dl.number
				WHERE dl.tenant_id = l.tenant_id AND dl.source = l.number AND dl.source_line = l.line_no AND d.status IN ('examined', 'closed')), 0)) * l.factor) AS open
			FROM erp.sales_order o JOIN erp.sales_order_line l ON l.tenant_id = o.tenant_id AND l.number = o.number
			WHERE o.tenant_id = $1 AND o.status IN ('submitted', 'examined') GROUP BY 1, 2) x ON x.product = s.product AND x.warehouse = s.warehouse
			WHERE s.tenant_id = $1 AND s.allocated <> coalesce(x.open, 0)`,
	} {
		var broken *string
		if err := d.conn.QueryRow(context.Background(), sql, d.tenant).Scan(&broken); err != nil {
			d.t.Fatalf("%s: %v", what, err)
		}
		if broken != nil {
			d.t.Errorf("%s: broken by %s", what, *broken)
		}
	}
}
