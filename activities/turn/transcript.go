package turn

import (
	"context"
	"encoding/json"
	"regexp"
	"sort"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/erpilot/erpilot/activities/model"
	"github.com/erpilot/erpilot/activities/store/pgdb"
	"github.com/erpilot/erpilot/schema/turn"
)

// transcript assembles the request of the next step: by turn, and within a turn
// by step, whatever the order of events was. The turns of other conversations
// are never seen.
func (s *Service) transcript(ctx context.Context, a agent) (turn.Request, error) {
	forms, err := s.ERP.Forms(ctx, a.id)
	if err != nil {
		return turn.Request{}, err
	}
	zone, err := time.LoadLocation(a.id.User.TimeZone)
	if err != nil {
		zone = time.UTC
	}
	prompt := model.Prompt{DomainMap: domainMap(forms), Locale: a.turn.Locale, Today: time.Now().In(zone).Format(time.DateOnly), Zone: zone.String()}
	request := turn.Request{System: prompt.System(), Tools: s.Catalogue, MaxOutputTokens: s.Config.MaxOutputTokens}
	err = s.DB.Read(ctx, a.tenant, func(ctx context.Context, tx pgx.Tx) error {
		request.Entries, err = entries(ctx, pgdb.New(tx), a, s.Config.window())
		return err
	})
	return request, err
}

func entries(ctx context.Context, q *pgdb.Queries, a agent, window int) ([]turn.Entry, error) {
	tenantID, conversationID := a.turn.TenantID, a.turn.ConversationID
	messages, err := q.ListMessages(ctx, pgdb.ListMessagesParams{TenantID: tenantID, ConversationID: conversationID})
	if err != nil {
		return nil, err
	}
	replies, err := q.ListReplies(ctx, pgdb.ListRepliesParams{TenantID: tenantID, ConversationID: conversationID})
	if err != nil {
		return nil, err
	}
	calls, err := q.ListCalls(ctx, pgdb.ListCallsParams{TenantID: tenantID, ConversationID: conversationID})
	if err != nil {
		return nil, err
	}
	type place struct{ n, step int32 }
	byStep := map[place][]pgdb.ListCallsRow{}
	for _, c := range calls {
		byStep[place{c.N, c.Step}] = append(byStep[place{c.N, c.Step}], c)
	}
	type element struct {
		place
		entries []turn.Entry
	}
	var all []element
	oldest := a.turn.N - int32(window) + 1
	for _, m := range messages {
		if m.Role == "user" && m.Answers == nil && m.N >= oldest && m.N <= a.turn.N {
			all = append(all, element{place{m.N, 0}, []turn.Entry{{Role: turn.RoleUser, Text: m.Text}}})
		}
	}
	for _, r := range replies {
		if r.N < oldest || r.N > a.turn.N {
			continue
		}
		all = append(all, element{place{r.N, r.Step}, stepEntries(r.Text, byStep[place{r.N, r.Step}])})
	}
	sort.SliceStable(all, func(i, j int) bool {
		return all[i].n < all[j].n || all[i].n == all[j].n && all[i].step < all[j].step
	})
	var out []turn.Entry
	for _, e := range all {
		out = append(out, e.entries...)
	}
	return out, nil
}

// stepEntries are a reply and, for each call, its one result.
func stepEntries(text string, calls []pgdb.ListCallsRow) []turn.Entry {
	if text == "" && len(calls) == 0 {
		// An empty reply is asked again; the transcript must not hold a hole.
		return []turn.Entry{{Role: turn.RoleAssistant, Text: "(empty reply)"}, {Role: turn.RoleUser, Text: "Your last reply was empty. Please answer."}}
	}
	assistant := turn.Entry{Role: turn.RoleAssistant, Text: text}
	out := []turn.Entry{assistant}
	for _, c := range calls {
		out[0].Calls = append(out[0].Calls, turn.RequestCall{ProviderID: c.CallID, Tool: toolName(c.Tool), Arguments: sendable(c.Arguments)})
		out = append(out, turn.Entry{Role: turn.RoleTool, ProviderID: c.CallID, Tool: toolName(c.Tool), Text: model.Envelope(result(c))})
	}
	return out
}

// result is the one result of a call; an open one says so, so that no provider
// sees a call without result and the model does not believe it done.
func result(c pgdb.ListCallsRow) string {
	if c.Result != nil {
		return string(c.Result)
	}
	kind, until := "result", ""
	switch c.Effect {
	case "write":
		kind = "approval"
	case "ask":
		kind = "answer"
	}
	if c.ApprovalExpiresAt != nil {
		until = c.ApprovalExpiresAt.UTC().Format(time.RFC3339)
	}
	return string(mustJSON(map[string]any{"status": "awaiting " + kind, "until": until, "note": "Not executed. Nothing was written."}))
}

var nameable = regexp.MustCompile(`^[a-zA-Z0-9_-]{1,64}$`)

// toolName keeps a name that the model made up from breaking the provider's own
// rules when it is sent back.
func toolName(name string) string {
	if nameable.MatchString(name) {
		return name
	}
	return "unknown_tool"
}

// sendable wraps arguments that are not a JSON object: providers refuse them in a
// transcript. They were never carried out.
func sendable(arguments string) string {
	var object map[string]json.RawMessage
	if json.Unmarshal([]byte(arguments), &object) == nil {
		return arguments
	}
	return string(mustJSON(map[string]string{"malformed": arguments}))
}
