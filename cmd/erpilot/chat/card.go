package chat

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/erpilot/erpilot/cmd/erpilot/terminal"
	"github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/event"
	"github.com/erpilot/erpilot/schema/fault"
	"github.com/erpilot/erpilot/schema/operation"
)

// put takes a whole card: a new pending is printed, a new state is told.
func (v *view) put(next operation.Card) {
	if next.OpID == "" {
		return
	}
	c, known := v.cards[next.OpID]
	if !known {
		v.order = append(v.order, next.OpID)
		c = &card{n: len(v.order)}
		v.cards[next.OpID] = c
	}
	// The row is the truth, but an older picture of it must not undo its end.
	if known && c.Status.Terminal() && !next.Status.Terminal() {
		return
	}
	replaced := c.ReplacedBy
	c.Card = next
	if c.ReplacedBy == "" {
		c.ReplacedBy = replaced
	}
	if before, ok := v.cards[next.Replaces]; ok {
		before.ReplacedBy = next.OpID
	}
	switch {
	case next.Status == operation.Draft:
	case next.Status == operation.AwaitingApproval:
		v.open(c)
	case !known: // history: what it was, in one line
		v.s.line("\n[%d] %s", c.n, v.title(c))
		v.tell(c)
	default:
		v.tell(c)
	}
}

// open puts a pending before the person, once.
func (v *view) open(c *card) {
	if c.pending != c.PendingID {
		v.show(c)
	}
}

// decidable reports whether the card waits and has been printed as it is: nothing
// else can be decided from here.
func (c *card) decidable() bool {
	return c.Status == operation.AwaitingApproval && c.pending == c.PendingID
}

// leavable reports whether the card was handed to the native form, which its
// person may leave. It takes the card's number: no bare "n" means it.
func (c *card) leavable() bool {
	return c.Status == operation.HandedOff && c.told == operation.HandedOff
}

// state takes what an event says of an operation.
func (v *view) state(d event.OpState) {
	c, ok := v.cards[d.OpID]
	if !ok || c.Status.Terminal() && !d.Status.Terminal() {
		return
	}
	c.Status = d.Status
	if d.Decided != nil {
		c.Decided = d.Decided
	}
	if d.Refusal != nil {
		c.Refusal = d.Refusal
	}
	if d.Bill != "" {
		c.Bill, c.Link = d.Bill, d.Link
	}
	if d.Open != "" {
		c.Open, c.Deadline = d.Open, d.Deadline
	}
	if d.ReplacedBy != "" {
		c.ReplacedBy = d.ReplacedBy
	}
	if d.Status == operation.Failed && c.told == operation.Failed {
		c.told = "" // each failed attempt is told
	}
	if d.Status == operation.AwaitingApproval {
		v.open(c)
		return
	}
	v.tell(c)
}

// pendingOpen notes that an operation waits for a decision from now on.
func (v *view) pendingOpen(d event.Approval) {
	if c, ok := v.cards[d.OpID]; ok && c.PendingID == d.PendingID && (c.Status == operation.Draft || c.Status == operation.AwaitingApproval) {
		c.Status = operation.AwaitingApproval
		v.open(c)
	}
}

// confirmed notes that the person's confirmation counts; what follows is told by
// the journal, in its order.
func (v *view) confirmed(c *card) {
	if c.Status == operation.AwaitingApproval {
		c.Status = operation.Approved
		v.tell(c)
	}
}

// move notes a state that another line has told already.
func (v *view) move(opID string, status operation.Status) {
	if c, ok := v.cards[opID]; ok && !c.Status.Terminal() && (c.Status == operation.AwaitingApproval || !terminalLater(status)) {
		c.Status = status
	}
}

// terminalLater are states of which the result is told by an event of its own.
func terminalLater(s operation.Status) bool { return s == operation.Approved }

// showOpen prints what waits for the person once more.
func (v *view) showOpen() {
	n := 0
	for _, id := range v.order {
		if c := v.cards[id]; c.Status == operation.AwaitingApproval {
			v.show(c)
			n++
		}
	}
	if n == 0 {
		v.s.line("%s", v.s.say("chat.nothing_waits"))
	}
}

func (v *view) title(c *card) string {
	p := c.Preview
	l := string(v.s.locale)
	return v.s.word("card.title", "action", p.ActionLabel.In(l), "form", p.FormLabel.In(l)) + " — " + terminal.Line(p.Object)
}

// until is the deadline with the time that is left, in the person's zone.
func (v *view) until(deadline time.Time) string {
	return v.s.say("chat.deadline", "deadline", terminal.Clock(deadline, v.s.zone), "left", terminal.Left(deadline.Sub(v.s.now().Add(v.offset)), v.s.locale))
}

// show prints the card of what would be written: the whole picture that a
// decision names.
func (v *view) show(c *card) {
	s, p := v.s, c.Preview
	s.line("\n[%d] %s", c.n, v.title(c))
	if p.Batch {
		s.line("  ! %s", s.word("card.batch"))
	}
	if before, ok := v.cards[c.Replaces]; ok && before.Refusal != nil && before.Refusal.Fact != nil {
		s.line("  ! %s %s", s.word("card.moved"), v.moved(before.Refusal))
	}
	v.diffs("diff.asked", p, false)
	v.lines(p)
	v.diffs("diff.derived", p, true)
	if p.Provisional {
		s.line("  · %s", s.word("card.provisional"))
	}
	if c.Manual {
		s.line("  · %s", s.say("chat.manual"))
	}
	for _, n := range p.Notes {
		s.line("  · %s", terminal.Line(n.In(string(s.locale))))
	}
	v.about(c)
	s.line("  %s", v.until(c.Deadline))
	c.shown, c.pending, c.told, c.queued = s.now(), c.PendingID, operation.AwaitingApproval, false
	v.fresh = true
}

// lines are the lines of a document, with the stock before and after.
func (v *view) lines(p erp.Preview) {
	s := v.s
	if len(p.Lines) > 0 {
		head := []string{s.word("line.product"), s.word("line.quantity"), s.word("line.base"), s.word("line.discount"), s.word("line.unit_price"),
			s.word("line.amount"), s.word("line.stock")}
		rows := make([][]string, len(p.Lines))
		for i, x := range p.Lines {
			off, stock := s.word("line.none"), ""
			switch x.Discount {
			case "":
				off = ""
			case "0":
			default:
				off = s.word("line.off", "percent", x.Discount)
			}
			if x.StockBefore != "" || x.StockAfter != "" {
				stock = x.StockBefore + " → " + x.StockAfter + " (" + x.Warehouse + ")"
			}
			rows[i] = []string{x.ProductName + " (" + x.Product + ")", x.Quantity + " " + x.Unit, x.BasePrice, off, x.UnitPrice, x.Amount, stock}
		}
		head, rows, right := filled(head, rows, 1, 2, 4, 5)
		s.line("%s", indent(terminal.Table(head, rows, right...)))
	}
	if p.Total != "" {
		s.line("  %s: %s %s", s.word("line.total"), terminal.Line(p.Total), terminal.Line(p.Currency))
	}
}

// filled drops the columns in which no row says anything: a stock adjustment has
// no prices, a quotation no stock. right are the columns that stand right.
func filled(head []string, rows [][]string, right ...int) (h []string, r [][]string, at []int) {
	r = make([][]string, len(rows))
	for i := range head {
		if !slices.ContainsFunc(rows, func(row []string) bool { return row[i] != "" }) {
			continue
		}
		if slices.Contains(right, i) {
			at = append(at, len(h))
		}
		h = append(h, head[i])
		for k, row := range rows {
			r[k] = append(r[k], row[i])
		}
	}
	return h, r, at
}

// diffs are fields with old and new value: those asked for, or those that follow.
func (v *view) diffs(caption string, p erp.Preview, derived bool) {
	s := v.s
	var rows [][]string
	changes := false
	for _, d := range p.Diffs {
		if d.Derived != derived || derived && inLines(p, d) {
			continue
		}
		label := d.Label.In(string(s.locale))
		if d.Object != "" {
			label = s.word("card.fact", "object", d.Object, "label", label)
		}
		after := d.After
		if after == "" {
			after = s.word("diff.empty")
		}
		if d.Before != "" {
			changes, after = true, d.Before+" → "+after
		}
		rows = append(rows, []string{label, after})
	}
	if len(rows) == 0 {
		return
	}
	value := s.word("diff.value")
	if changes {
		value = s.word("diff.before") + " → " + s.word("diff.after")
	}
	s.line("  %s", s.word(caption))
	s.line("%s", indent(terminal.Table([]string{s.word("diff.field"), value}, rows)))
}

// inLines reports whether the lines say it already: their stock, the total, the
// currency. Nothing is said twice on a card.
func inLines(p erp.Preview, d erp.Diff) bool {
	if len(p.Lines) == 0 {
		return false
	}
	if d.Object == "" {
		return d.Before == "" && d.After == p.Total || d.After == p.Currency
	}
	return slices.ContainsFunc(p.Lines, func(x erp.Line) bool {
		return strings.Contains(d.Object, x.Product) && d.Before == x.StockBefore && d.After == x.StockAfter
	})
}

// about is who asks, under which rules, and what is guaranteed.
func (v *view) about(c *card) {
	s := v.s
	who := c.RequesterName
	if who == "" {
		who = c.RequesterID
	}
	policy := terminal.Word("policy", c.Policy, s.locale)
	rows := [][]string{{s.word("card.requester"), who}, {s.word("card.policy"), policy}, {s.word("card.risk"), terminal.Word("risk", string(c.Risk), s.locale)}}
	if c.Revision > 1 {
		rows = append(rows, []string{s.word("card.revision"), itoa(c.Revision)})
	}
	if c.Reason != "" {
		rows = append([][]string{{s.word("card.reason"), c.Reason}}, rows...)
	}
	for _, r := range rows {
		s.line("  %s: %s", r[0], terminal.Line(r[1]))
	}
	for _, g := range []struct {
		has bool
		key string
	}{{c.Capabilities.IdempotentExecute, "once"}, {c.Capabilities.FactsUnderLock, "lock"}, {c.Capabilities.Fence, "fence"}, {c.Capabilities.DryRun, "dry"}} {
		key := "cannot." + g.key
		if g.has {
			key = "can." + g.key
		}
		s.line("  · %s", s.word(key))
	}
}

// moved names the fact that changed, old and new.
func (v *view) moved(r *erp.Refusal) string {
	show := terminal.Line
	if r.Fact.Kind == erp.FactState {
		show = func(value string) string { return terminal.Word("state", value, v.s.locale) }
	}
	return v.s.word("card.fact", "object", r.Fact.Object, "label", r.Fact.Label.In(string(v.s.locale))) + ": " + show(r.Old) + " → " + show(r.New)
}

// tell says in what state an operation is now, once.
func (v *view) tell(c *card) {
	if c.told == c.Status {
		return
	}
	c.told = c.Status
	s := v.s
	form := c.Preview.FormLabel.In(string(s.locale))
	switch c.Status {
	case operation.Executed, operation.Completed:
		text := s.word("card.executed", "form", form) + " " + terminal.Line(c.Bill)
		if link := v.link(c.Link); link != "" {
			text += " <" + link + ">"
		}
		s.line("  ✓ [%d] %s", c.n, strings.TrimSpace(text))
	case operation.Refused:
		v.refused(c, form)
	case operation.Cancelled:
		says := s.word("card.cancelled")
		switch {
		case c.Refusal != nil && c.Refusal.Code == string(fault.DraftChanged):
			says = s.say("chat.outdated", "revision", c.Refusal.New)
		case c.ReplacedBy != "":
			says = s.word("card.superseded")
		}
		s.line("  ✗ [%d] %s", c.n, says)
	case operation.Rejected, operation.Expired, operation.Abandoned:
		s.line("  ✗ [%d] %s", c.n, s.word("card."+string(c.Status)))
	case operation.Failed:
		s.line("  ! [%d] %s %s", c.n, s.word("card.failed"), s.say("chat.may_retry"))
	case operation.Executing:
		if _, told := v.calls[c.CallID]; !told { // its call tells
			s.line("  · [%d] %s", c.n, s.word("card.executing"))
		}
	case operation.HandedOff:
		text := s.word("card.handed_off")
		if link := v.link(c.Open); link != "" {
			text += " <" + link + ">"
		}
		s.line("  · [%d] %s %s %s", c.n, text, v.until(c.Deadline), s.say("chat.may_leave", "n", strconv.Itoa(c.n)))
	case operation.Approved, operation.Reconciling, operation.NeedsLogin, operation.NeedsPerson:
		s.line("  · [%d] %s", c.n, s.word("card."+string(c.Status)))
	}
}

func (v *view) refused(c *card, form string) {
	s := v.s
	r := c.Refusal
	if r == nil {
		r = &erp.Refusal{Code: string(fault.Internal)}
	}
	params := fault.Params{"object": c.Preview.Object, "old": r.Old, "new": r.New, "detail": r.Detail, "form": form,
		"action": c.Preview.ActionLabel.In(string(s.locale))}
	if r.Fact != nil {
		params["object"], params["label"] = r.Fact.Object, r.Fact.Label.In(string(s.locale))
	}
	s.line("  ✗ [%d] %s", c.n, terminal.Fault(fault.Code(r.Code), params, s.locale, s.zone))
	if r.Fact != nil {
		s.line("    %s %s", s.word("card.changed_fact"), v.moved(r))
	}
	if c.mayRepropose() {
		s.line("    %s", s.say("chat.may_repropose"))
	}
}

// link is a link that may be followed: of the gateway, or an http address.
func (v *view) link(link string) string {
	switch {
	case strings.HasPrefix(link, "/") && !strings.HasPrefix(link, "//"):
		return v.s.api.base + terminal.Line(link)
	case strings.HasPrefix(link, "https://"), strings.HasPrefix(link, "http://"):
		return terminal.Line(link)
	}
	return ""
}

func indent(table string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(table, "\n"), "\n", "\n  ")
}
