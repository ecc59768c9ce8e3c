package builtin

import (
	"context"
	"errors"
	"strconv"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// heldDraft is the draft that a new record or document was shown as, held in share mode:
// whoever saves a new revision waits.
type heldDraft struct {
	revision   int
	validUntil time.Time
}

// holdDraft locks the draft of the change; nil without one. Codes: not_found.
func (j *job) holdDraft(ctx context.Context) (*heldDraft, []nouns.Fact, error) {
	c := j.change
	if c.DraftID == "" {
		return nil, nil, nil
	}
	missing := fault.New(fault.NotFound, "noun", "draft", "id", clip(c.DraftID))
	if !isUUID(c.DraftID) {
		return nil, nil, missing
	}
	rev, err := j.q.ErpHoldDraft(ctx, pgdb.ErpHoldDraftParams{TenantID: j.tenant, DraftID: c.DraftID, UserID: j.id.User.UserID, Form: c.Form})
	if errors.Is(err, pgx.ErrNoRows) {
		return nil, nil, missing
	}
	if err != nil {
		return nil, nil, err
	}
	until, err := j.q.ErpDraftValidity(ctx, pgdb.ErpDraftValidityParams{TenantID: j.tenant, DraftID: c.DraftID, Revision: rev})
	if err != nil {
		return nil, nil, err
	}
	d := &heldDraft{int(rev), until.UTC()}
	return d, []nouns.Fact{
		{Kind: nouns.FactDraft, Form: c.Form, Key: c.DraftID, Field: "revision", Label: nouns.Label{Zh: "草稿版本", En: "Draft revision"}, Value: strconv.Itoa(d.revision)},
		{Kind: nouns.FactValidity, Form: c.Form, Key: c.DraftID, Field: "valid_until", Label: nouns.Label{Zh: "草稿有效期", En: "Draft valid until"},
			Value: d.validUntil.Format(time.RFC3339Nano)},
	}, nil
}

// check compares the draft with what the change names. Codes: draft_changed, quote_changed.
func (d *heldDraft) check(j *job) error {
	switch {
	case d == nil:
		return nil
	case d.revision != j.change.DraftRevision:
		return fault.New(fault.DraftChanged, "old", strconv.Itoa(j.change.DraftRevision), "new", strconv.Itoa(d.revision))
	case !j.began.Before(d.validUntil):
		return fault.New(fault.QuoteChanged, "label", say(j.id, "草稿有效期", "Draft validity"), "object", say(j.id, "草稿", "Draft"),
			"old", d.validUntil.Format(time.RFC3339), "new", j.began.UTC().Format(time.RFC3339), "detail", say(j.id, "草稿已过有效期", "the draft is no longer valid"))
	}
	return nil
}
