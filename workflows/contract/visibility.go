package contract

import "go.temporal.io/sdk/temporal"

// Search attributes of both workflows. They hold opaque ids and states only:
// Temporal never encrypts them.
var (
	AttrStatus       = temporal.NewSearchAttributeKeyKeyword("ErpilotStatus")
	AttrTenant       = temporal.NewSearchAttributeKeyKeyword("ErpilotTenant")
	AttrUser         = temporal.NewSearchAttributeKeyKeyword("ErpilotUser")
	AttrForm         = temporal.NewSearchAttributeKeyKeyword("ErpilotForm")
	AttrAction       = temporal.NewSearchAttributeKeyKeyword("ErpilotAction")
	AttrRisk         = temporal.NewSearchAttributeKeyKeyword("ErpilotRisk")
	AttrConversation = temporal.NewSearchAttributeKeyKeyword("ErpilotConversation")
	AttrDeadline     = temporal.NewSearchAttributeKeyTime("ErpilotDeadline")
)

// SearchAttributes lists the names with their types as the Temporal CLI spells
// them, in order.
var SearchAttributes = []struct{ Name, Type string }{
	{"ErpilotStatus", "Keyword"}, {"ErpilotTenant", "Keyword"}, {"ErpilotUser", "Keyword"}, {"ErpilotForm", "Keyword"},
	{"ErpilotAction", "Keyword"}, {"ErpilotRisk", "Keyword"}, {"ErpilotConversation", "Keyword"}, {"ErpilotDeadline", "Datetime"},
}

// Memo keys: what an approver needs when no worker is up to answer a query.
const (
	MemoSummary = "summary"
	MemoDetails = "details"
	MemoDecide  = "decide"
)
