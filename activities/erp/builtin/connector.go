package builtin

import (
	"github.com/erpilot/erpilot/activities/erp"
	"github.com/erpilot/erpilot/activities/store"
	nouns "github.com/erpilot/erpilot/schema/erp"
)

// Connector is the built-in ERP. It is safe for concurrent use. Users and grants
// are read where they are needed; of forms it keeps what has not changed.
type Connector struct {
	db    *store.DB
	forms catalogue
}

var _ erp.Connector = (*Connector)(nil)

// New returns the ERP that lives in the database.
func New(db *store.DB) *Connector { return &Connector{db: db} }

// Capabilities claims all that the port knows of.
func (c *Connector) Capabilities() nouns.Capabilities {
	return nouns.Capabilities{DryRun: true, IdempotentExecute: true, Fence: true, FactsUnderLock: true}
}

// say picks the sentence for the reader's language.
func say(id erp.Identity, zh, en string) string {
	return nouns.Label{Zh: zh, En: en}.In(string(id.User.Locale))
}
