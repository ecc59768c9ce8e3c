package builtin

// kind describes one kind of document to the engine. What is not said here is the
// same for all: numbers, statuses, lines, drawing, facts, history.
type kind struct {
	form string
	// prefix begins its numbers: SO-000001.
	prefix string
	// date is the column of its own date. until is a second date that is not before
	// it, "" for none; left open it is days later, or the partner's payment days
	// when days is payDays.
	date, until string
	days        int
	// partner is the form of the other side, "" for none.
	partner string
	// priced lines have prices, amounts and tax; stored documents have a warehouse.
	priced, stored bool
	// source is the kind from which generate draws, "" for none.
	source string
	// byHand documents may be created without a source; immediate ones are examined
	// as soon as they are made; signed ones have quantities of either sign.
	byHand, immediate, signed bool
	// sells: priced by price list, discount and rate, and only what is on sale. buys:
	// priced by what the line or the supplier's price says.
	sells, buys bool
	// produces: for products that are made, by their bill of material.
	produces bool
	// promises: while it is open, stock is allocated for what is not delivered.
	// delivers: examining it takes from the promises of its source.
	promises, delivers bool
	// owed documents open a balance of the partner when they are examined; pays
	// documents settle those that their lines name.
	owed, pays bool
	// moves are the ledger rows that hold while the document is examined.
	moves func(d *document, m *masters) []move
}

const payDays = -1

// kinds of documents; position in a chain is the order in which they are locked.
var kinds = []*kind{
	{form: "quotation", prefix: "QT", date: "quotation_date", until: "valid_until", days: 30, partner: "customer", priced: true, byHand: true, sells: true},
	{form: "sales_order", prefix: "SO", date: "order_date", until: "delivery_date", partner: "customer", priced: true, stored: true, source: "quotation",
		byHand: true, sells: true, promises: true},
	{form: "delivery", prefix: "DN", date: "delivery_date", partner: "customer", priced: true, stored: true, source: "sales_order", delivers: true,
		moves: lineMoves(-1, "sale")},
	{form: "receivable", prefix: "AR", date: "invoice_date", until: "due_date", days: payDays, partner: "customer", priced: true, source: "delivery", owed: true},
	{form: "receipt", prefix: "RC", date: "receipt_date", partner: "customer", source: "receivable", byHand: true, pays: true},

	{form: "purchase_order", prefix: "PO", date: "order_date", until: "expected_date", days: 7, partner: "supplier", priced: true, stored: true, byHand: true, buys: true},
	{form: "goods_receipt", prefix: "GR", date: "receipt_date", partner: "supplier", priced: true, stored: true, source: "purchase_order",
		moves: lineMoves(1, "receipt")},
	{form: "payable", prefix: "AP", date: "invoice_date", until: "due_date", days: payDays, partner: "supplier", priced: true, source: "goods_receipt", owed: true},
	{form: "payment", prefix: "PY", date: "payment_date", partner: "supplier", source: "payable", byHand: true, pays: true},

	{form: "stock_adjustment", prefix: "SA", date: "adjustment_date", stored: true, byHand: true, immediate: true, signed: true, moves: lineMoves(1, "adjustment")},
	{form: "stock_transfer", prefix: "ST", date: "transfer_date", stored: true, byHand: true, immediate: true, moves: transferMoves},
	{form: "production_order", prefix: "MO", date: "start_date", until: "due_date", days: 7, stored: true, byHand: true, produces: true},
	{form: "production_report", prefix: "MR", date: "report_date", stored: true, source: "production_order", produces: true, moves: productionMoves},
}

func kindOf(form string) *kind {
	for _, k := range kinds {
		if k.form == form {
			return k
		}
	}
	return nil
}

// next is the kind that draws from k; nil at the end of a chain.
func (k *kind) next() *kind {
	for _, x := range kinds {
		if x.source == k.form {
			return x
		}
	}
	return nil
}

// documentBehaviour finds the behaviour that all documents share.
func documentBehaviour(form, action string) (behaviour, bool) {
	k := kindOf(form)
	if k == nil {
		return nil, false
	}
	switch action {
	case "create":
		return createDocument{k}, k.byHand
	case "generate":
		return generateDocument{k}, k.source != ""
	case "update":
		return updateDocument{k}, true
	case "delete":
		return moveDocument{k, action}, true
	}
	_, ok := transitions[action]
	return moveDocument{k, action}, ok
}

// inEffect are the statuses in which a document has its effects.
func inEffect(status string) bool { return status == "examined" || status == "closed" }
