package draft

import (
	"encoding/json"
	"time"

	"github.com/erpilot/erpilot/schema/erp"
)

// Draft is one record under preparation.
type Draft struct {
	DraftID        string    `json:"draft_id"`
	ConversationID string    `json:"conversation_id"`
	Form           string    `json:"form"`
	FormLabel      erp.Label `json:"form_label"`
	// Object names what it is for: the customer of an order.
	Object string `json:"object,omitempty"`
	// Revision is the newest, counted from 1.
	Revision  int       `json:"revision"`
	CreatedAt time.Time `json:"created_at"`
	UpdatedAt time.Time `json:"updated_at"`
	// Total and Currency are those of the newest revision; empty without money.
	Total      string    `json:"total,omitempty"`
	Currency   string    `json:"currency,omitempty"`
	ValidUntil time.Time `json:"valid_until"`
}

// Revision is one save of a draft; it never changes.
type Revision struct {
	DraftID  string `json:"draft_id"`
	Revision int    `json:"revision"`
	// Values are the values as they were given.
	Values json.RawMessage `json:"values"`
	Quote  Quote           `json:"quote"`
	// ValidUntil is until when the quote may be confirmed.
	ValidUntil time.Time `json:"valid_until"`
	CreatedBy  string    `json:"created_by"`
	CreatedAt  time.Time `json:"created_at"`
}

// Quote is what the ERP showed when the revision was saved.
type Quote struct {
	Object   string `json:"object,omitempty"`
	Lines    []Line `json:"lines,omitempty"`
	Total    string `json:"total,omitempty"`
	Currency string `json:"currency,omitempty"`
	// Fields are the values of the record itself, as the card would list them.
	Fields []erp.Diff `json:"fields,omitempty"`
	// Notes say what the write would not do.
	Notes []erp.Label `json:"notes,omitempty"`
}

// Line is one row of a quote: prices, discount and stock as they were.
type Line struct {
	erp.Line
	// Status is the sales status of the product at that moment; "" when the ERP
	// does not rely on one.
	Status string `json:"status,omitempty"`
}

// QuoteOf takes the quote out of a preview.
func QuoteOf(p erp.Preview) Quote {
	q := Quote{Object: p.Object, Total: p.Total, Currency: p.Currency, Notes: p.Notes}
	status := map[string]string{}
	for _, f := range p.Facts {
		if f.Kind == erp.FactProductStatus {
			status[f.Key] = f.Value
		}
	}
	for _, l := range p.Lines {
		q.Lines = append(q.Lines, Line{Line: l, Status: status[l.Product]})
	}
	for _, d := range p.Diffs {
		if !d.Derived && d.Object == "" {
			q.Fields = append(q.Fields, d)
		}
	}
	return q
}

// ParseQuote reads a stored preview; one that cannot be read is empty.
func ParseQuote(preview json.RawMessage) (erp.Preview, Quote) {
	var p erp.Preview
	if json.Unmarshal(preview, &p) != nil {
		return erp.Preview{}, Quote{}
	}
	return p, QuoteOf(p)
}
