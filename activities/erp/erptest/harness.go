package erptest

import (
	"context"
	"testing"

	"github.com/erpilot/erpilot/activities/erp"
	nouns "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/identity"
)

// Account is a login that the harness knows.
type Account struct {
	Tenant                     identity.Tenant
	UserID, Username, Password string
}

// Harness is a fresh ERP with known data. Both tenants hold at least 200
// customers, 300 products and 600 orders under the same keys.
type Harness struct {
	Connector erp.Connector

	// Clerk may read every form, create and cancel orders and change customers, but
	// not change products; Manager may do all; Guest may only read customers.
	Clerk, Manager, Guest Account
	// Foreign is a clerk of another tenant.
	Foreign Account

	// Customer is active, in region east, with at least one discount. Products are
	// two that are on sale, with whole units and at least 100 of each in Warehouse.
	// Retired is a product that is not on sale; Idle a customer who is inactive.
	Customer, Idle string
	Products       [2]string
	Warehouse      string
	Retired        string
	// Open, Closed name orders that are submitted and closed.
	Open, Closed string

	// Loose is on sale by weight, with 3 decimals, and at least 10 of it are in Warehouse.
	Loose string
	// Cases are writes that the manager may do, at least one for each action that
	// the ERP offers. Each is asked for its change anew whenever it is needed, after
	// the one before was written.
	Cases []Case
	// Chain are forms of which each document is made of one of the form before, by
	// generate; the first is sales_order. Empty where the ERP has no generate.
	Chain []string
	// History reads what became of a record; nil where the ERP keeps no history.
	History func(ctx context.Context, id erp.Identity, form, key string) ([]nouns.HistoryEntry, error)

	// Disturb changes the clerk's ERP as somebody else would.
	Disturb Disturb
	// Drafts keeps drafts of the clerk.
	Drafts Drafts
	// Hold keeps every write that touches the product waiting until it is released.
	Hold func(t *testing.T, product string) Held
	// CutCommit is the same ERP over a connection that breaks while its next COMMIT
	// is under way: before the ERP has seen it, or after the ERP has done it.
	CutCommit func(t *testing.T, done bool) erp.Connector
}

// Case is a write. Change makes ready what it needs, by whatever way, and returns
// what is to be previewed.
type Case struct {
	Name   string
	Change func(t *testing.T) nouns.Change
}

// Disturb holds the changes that move a fact.
type Disturb struct {
	Price       func(ctx context.Context, product, price string) error
	ProductName func(ctx context.Context, product, name string) error
	Discontinue func(ctx context.Context, product string) error
	Discount    func(ctx context.Context, customer, product, percent string) error
	// Stock adds to the level in the harness's warehouse; negative takes away.
	Stock func(ctx context.Context, product, quantity string) error
	Phone func(ctx context.Context, customer, phone string) error
	Close func(ctx context.Context, order string) error
	// Revoke takes the right to an action away, with all that it comes with; Grant
	// gives it back.
	Revoke   func(ctx context.Context, userID, form, action string) error
	Grant    func(ctx context.Context, userID, form, action string) error
	Dismiss  func(ctx context.Context, userID string) error
	Deactive func(ctx context.Context, customer string) error
	// AddCustomer and RemoveCustomer add an active customer under a code that is free,
	// always with the same values, and remove one that nothing refers to.
	AddCustomer    func(ctx context.Context, code string) error
	RemoveCustomer func(ctx context.Context, code string) error
}

// Drafts are made and edited outside the port: they belong to the copilot.
type Drafts struct {
	// New makes a draft of a sales order of the clerk at revision 1.
	New    func(ctx context.Context) (draftID string, err error)
	Revise func(ctx context.Context, draftID string) error
	// Lapse ends the validity of the newest revision's quote.
	Lapse func(ctx context.Context, draftID string) error
}

// Held is a product that writes wait for.
type Held interface {
	// Waiting counts the writes that wait for the product, and whoever waits for them.
	Waiting(ctx context.Context) (int, error)
	// Kill cuts the sessions that wait for the product itself.
	Kill(ctx context.Context) error
	Release()
}
