package builtin_test

import (
	"fmt"
	"testing"

	"github.com/google/uuid"

	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// draft makes a draft of wang's for a form, at revision 1.
func (d *office) draft(form string) string {
	d.t.Helper()
	draft, conversation := uuid.NewString(), uuid.NewString()
	d.sql("INSERT INTO conversations (tenant_id, conversation_id, user_id) VALUES ($1, $2, 'wang')", conversation)
	d.sql("INSERT INTO drafts (tenant_id, draft_id, conversation_id, user_id, form, revision) VALUES ($1, $2, $3, 'wang', $4, 1)", draft, conversation, form)
	d.revise(draft)
	return draft
}

func (d *office) revise(draft string) {
	d.t.Helper()
	d.sql(`INSERT INTO draft_revisions (tenant_id, draft_id, revision, payload, quote, valid_until, created_by)
		SELECT tenant_id, draft_id, revision, '{}', '{}', clock_timestamp() + interval '1 day', user_id FROM drafts WHERE tenant_id = $1 AND draft_id = $2`, draft)
}

func TestEveryDocumentThatIsKeyedInMayComeFromADraft(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	d.supplied()
	d.sql("INSERT INTO erp.product (tenant_id, code, name, category, unit, status, base_price, currency, made) VALUES ($1, 'P-M', '礼盒', 'gift', '盒', 'on_sale', 99, 'CNY', true)")
	d.put("P-0001", "100")
	so := d.bill("sales_order", "create", "", order(line("P-0001", "5")))
	d.do("sales_order", "examine", so, m{})
	dn := d.bill("delivery", "generate", "", from("sales_order", so))
	d.do("delivery", "examine", dn, m{})
	ar := d.bill("receivable", "generate", "", from("delivery", dn))
	d.do("receivable", "examine", ar, m{})
	for form, payload := range map[string]m{
		"quotation": order(line("P-0001", "1")), "sales_order": order(line("P-0001", "1")),
		"receipt":          {"customer": "C-0001", "lines": []m{{"source": ar}}},
		"purchase_order":   {"supplier": "S-T", "lines": []m{line("P-0001", "1")}},
		"stock_adjustment": {"reason": "count", "lines": []m{line("P-0001", "1")}},
		"stock_transfer":   {"to_warehouse": "WH-02", "lines": []m{line("P-0001", "1")}},
		"production_order": {"lines": []m{line("P-M", "1")}},
	} {
		draft := d.draft(form)
		c := changing(form, "create", "", payload)
		c.DraftID, c.DraftRevision = draft, 1
		_, stale := d.preview(c)
		d.sql("UPDATE drafts SET revision = 2 WHERE tenant_id = $1 AND draft_id = $2", draft)
		d.revise(draft)
		if got := d.execute(stale); got.Status != nouns.CommitRefused || got.Refusal.Code != string(fault.DraftChanged) {
			t.Errorf("%s of an old revision: %+v %+v", form, got, got.Refusal)
		}
		c.DraftRevision = 2
		_, lapsed := d.preview(c)
		_, good := d.preview(c)
		if got := d.execute(good); got.Status != nouns.CommitExecuted {
			t.Errorf("%s: %+v %+v", form, got, got.Refusal)
		}
		d.sql("UPDATE draft_revisions SET valid_until = clock_timestamp() - interval '1 second' WHERE tenant_id = $1 AND draft_id = $2", draft)
		if got := d.execute(lapsed); got.Status != nouns.CommitRefused || got.Refusal.Code != string(fault.QuoteChanged) {
			t.Errorf("%s after its validity: %+v %+v", form, got, got.Refusal)
		}
	}
}

func TestAGeneratedDocumentMayHaveMoreLinesThanAPersonKeysIn(t *testing.T) {
	t.Parallel()
	d := newOffice(t)
	var quotations []string
	var lines []m
	for i := 1; len(lines) < 100; i++ {
		code := fmt.Sprintf("P-%04d", i)
		if d.text("SELECT count(*)::text FROM erp.product WHERE tenant_id = $1 AND code = $2 AND status = 'on_sale' AND quantity_scale = 0", code) == "1" {
			lines = append(lines, line(code, "1"))
			d.put(code, "10")
		}
	}
	for range 2 {
		qt := d.bill("quotation", "create", "", order(lines...))
		d.do("quotation", "examine", qt, m{})
		quotations = append(quotations, qt)
	}
	so := d.bill("sales_order", "generate", "", from("quotation", quotations...))
	if n := d.text("SELECT count(*)::text FROM erp.sales_order_line WHERE tenant_id = $1 AND number = $2", so); n != "200" {
		t.Errorf("%s lines", n)
	}
	d.consistent()
}
