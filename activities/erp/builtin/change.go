package builtin

import (
	"context"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
)

// job is one change inside one transaction, whether it is rolled back
// afterwards (Preview) or committed (Execute): both run the same code, so a
// preview shows what the write would do because it did it.
type job struct {
	tx     pgx.Tx
	q      *pgdb.Queries
	id     erp.Identity
	tenant string
	form   *form
	action nouns.Action
	change nouns.Change
	// began is the database's clock when the transaction began.
	began time.Time
	// channel and opID go to the history: how the change came and the proposal
	// behind it. A preview, whose history is rolled back, comes by "preview".
	channel, opID string
	// forms are all forms of the tenant, for the links of this one.
	forms *catalogue
}

func (j *job) locale() string { return string(j.id.User.Locale) }

func (j *job) problems() *problems { return &problems{id: j.id, form: j.form, action: j.change.Action} }

// behaviour is how a form's action is carried out. A form that only changes
// fields of one row needs none of its own (see updateRecord).
type behaviour interface {
	// gather parses the payload, then locks and reads everything that the change
	// relies on, in the order of locks that all writes share. It does not judge:
	// what moved is told before what is wrong with it.
	// Codes: validation_failed (the payload), not_found (the target, the draft).
	gather(ctx context.Context, j *job) (step, error)
}

// step is a change whose facts are known and locked.
type step interface {
	// facts are in lock order.
	facts() []nouns.Fact
	// check judges the change by the facts. Codes: validation_failed, draft_changed,
	// quote_changed (the validity of a quote has passed).
	check(j *job) error
	// apply writes, and tells what was written; the preview it returns has
	// everything but form, action, target and facts.
	apply(ctx context.Context, j *job) (outcome, error)
}

// outcome is what a change did.
type outcome struct {
	// bill is the key of the record that was made or changed; bills are all of them
	// where several were made, bill the first.
	bill    string
	bills   []string
	preview nouns.Preview
}

// newJob finds form, action and behaviour of a change. The identity's grants must
// have been read. Codes: permission_denied, validation_failed.
func (c *Connector) newJob(ctx context.Context, tx pgx.Tx, id erp.Identity, change nouns.Change, began time.Time) (*job, behaviour, error) {
	q := pgdb.New(tx)
	f, err := c.forms.one(ctx, q, id, change.Form, change.Action)
	if err != nil {
		return nil, nil, err
	}
	j := &job{tx: tx, q: q, id: id, tenant: id.User.Tenant.String(), form: f, change: change, began: began, channel: "preview", forms: &c.forms}
	bad := func(field, zh, en string) (*job, behaviour, error) {
		p := j.problems()
		p.add(field, zh, en)
		return nil, nil, p.err()
	}
	a, declared := f.action(change.Action)
	b, known := documentBehaviour(change.Form, change.Action)
	if !known {
		b, known = recordBehaviour(f, change.Action)
	}
	if !declared || !known || !a.Write {
		return bad("action", f.LabelZh+"没有操作 "+clip(change.Action), f.LabelEn+" has no action "+clip(change.Action))
	}
	want := nouns.OpTypeOf(change.Action)
	if change.OpType != "" && change.OpType != want {
		return bad("op_type", "操作类型应为 "+string(want), "op_type must be "+string(want))
	}
	if (change.Target == "") != (want == nouns.OpCreate || want == nouns.OpGenerate) {
		return bad("target", "新建和生成不带目标，其他操作需要目标", "create and generate take no target, everything else needs one")
	}
	j.action = a
	if !storable(change.Target) {
		return nil, nil, j.missing() // no key is like that
	}
	return j, b, nil
}

// finish completes a preview with what is the same for every change.
func (j *job) finish(p *nouns.Preview, facts []nouns.Fact) {
	p.Form = j.form.Form
	p.FormLabel = nouns.Label{Zh: j.form.LabelZh, En: j.form.LabelEn}
	p.Action = j.action.Action
	p.ActionLabel = j.action.Label
	p.Target = j.change.Target
	p.TargetTable = "erp." + j.form.BaseTable
	p.TargetModule = j.form.Domain
	p.Batch = j.action.Batch
	p.Facts = facts
}
