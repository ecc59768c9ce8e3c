package store

import (
	"context"
	"crypto/sha256"
	"encoding/json"

	"github.com/gowebpki/jcs"
	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/identity"
)

// AuditEntry is one immutable row of the audit: who did what to what, through
// which channel. Kinds: login, login_refused, logout, proposal, decision,
// decision_refused, execution, execution_refused, cancelled, expired.
type AuditEntry struct {
	Kind    string
	Actor   string
	Channel string
	// ConversationID and OpID may be empty.
	ConversationID string
	OpID           string
	// Data is marshalled to JSON; it never holds tokens or passwords.
	Data any
}

// Audit writes the entry in the caller's transaction, so that it stands or falls
// with what it records.
func Audit(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, e AuditEntry) error {
	data, err := json.Marshal(e.Data)
	if err != nil {
		return fault.Wrap(fault.Internal, err)
	}
	content, err := json.Marshal(map[string]any{"tenant": tenant.String(), "kind": e.Kind, "actor": e.Actor, "channel": e.Channel,
		"conversation_id": e.ConversationID, "op_id": e.OpID, "data": json.RawMessage(data)})
	if err != nil {
		return fault.Wrap(fault.Internal, err)
	}
	canonical, err := jcs.Transform(content)
	if err != nil {
		return fault.Wrap(fault.Internal, err)
	}
	hash := sha256.Sum256(canonical)
	return pgdb.New(tx).InsertAudit(ctx, pgdb.InsertAuditParams{
		TenantID: tenant.String(), Kind: e.Kind, Actor: e.Actor, Channel: e.Channel,
		ConversationID: Nullable(e.ConversationID), OpID: Nullable(e.OpID), Data: data, ContentHash: hash[:],
	})
}
