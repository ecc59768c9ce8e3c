package journal

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/identity"
)

// Carrier brings deltas and wake-ups from where they arise (activities) to
// where they are watched (gateway). Two carriers exist: Hub, inside one process,
// and Postgres, between processes. Publishers never wait for readers.
type Carrier interface {
	// Wake tells readers of the conversation that the journal has grown. It is
	// called after the commit; losing it only costs the time until the next poll.
	Wake(tenant identity.Tenant, conversationID string)
	// Publish hands over a piece of a message that is being written.
	Publish(ctx context.Context, tenant identity.Tenant, d event.Delta)
	// Forget drops the deltas of a message up to and including the attempt:
	// the stored message, or a new attempt, replaces them.
	Forget(ctx context.Context, tenant identity.Tenant, conversationID, messageID string, attempt int)
	// Subscribe watches a conversation. The subscription starts with the text so
	// far of open messages.
	Subscribe(tenant identity.Tenant, conversationID string) Subscription
}

// Subscription is one reader. A reader that is too slow is closed; it comes back
// with its cursor.
type Subscription interface {
	// Woken receives when the journal may have grown.
	Woken() <-chan struct{}
	// Deltas receives pieces in order; it is closed when the reader fell behind.
	Deltas() <-chan event.Delta
	Close()
}

// Texts gives the text so far of messages that are being written, one delta from
// offset 0 each. The transaction is a reader's snapshot; a carrier in memory
// does not need it. Both carriers are Texts.
type Texts interface {
	Open(ctx context.Context, tx pgx.Tx, tenant identity.Tenant, conversationID string) ([]event.Delta, error)
}
