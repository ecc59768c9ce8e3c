package operation

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/erpilot/erpilot/activities/erp"
	schema "github.com/erpilot/erpilot/schema/erp"
	"github.com/erpilot/erpilot/schema/fault"
)

// declared finds the proposed action among those that the form declares and the
// person may take. A reason that was given beside the call becomes the action's
// own argument where it takes one. Codes: permission_denied, arguments_invalid
// (the action only reads), validation_failed (the form has no such action).
func (s *Service) declared(ctx context.Context, id erp.Identity, p *proposal) (schema.Action, error) {
	form, err := s.ERP.Schema(ctx, id, p.change.Form)
	if err != nil {
		return schema.Action{}, err
	}
	at := slices.IndexFunc(form.Actions, func(a schema.Action) bool { return a.Action == p.change.Action })
	switch {
	case at >= 0 && !form.Actions[at].Write:
		return schema.Action{}, fault.New(fault.ArgumentsInvalid, "tool", "propose_write", "detail",
			"the action "+p.change.Action+" only reads; it belongs to read_form")
	case !id.Grants.Allows(p.change.Form, p.change.Action):
		return schema.Action{}, fault.New(fault.PermissionDenied, "form", p.change.Form, "action", p.change.Action)
	case at < 0:
		return schema.Action{}, fault.New(fault.ValidationFailed, "detail",
			"the form "+p.change.Form+" has no action "+p.change.Action+"; it has "+writes(form))
	}
	action := form.Actions[at]
	p.change.Payload = withReason(action, p.change.Payload, p.reason)
	return action, nil
}

// writes names the write actions of a form.
func writes(f schema.Form) string {
	var names []string
	for _, a := range f.Actions {
		if a.Write {
			names = append(names, a.Action)
		}
	}
	if names == nil {
		return "none that writes"
	}
	return strings.Join(names, ", ")
}

// withReason puts the reason into the arguments of an action that asks for one
// and was given none. A payload that is no object is left to the ERP to refuse.
func withReason(a schema.Action, payload json.RawMessage, reason string) json.RawMessage {
	at := slices.IndexFunc(a.Args, func(f schema.Field) bool { return f.Name == "reason" })
	if at < 0 || reason == "" {
		return payload
	}
	values := map[string]json.RawMessage{}
	if json.Unmarshal(payload, &values) != nil || values["reason"] != nil {
		return payload
	}
	if r, most := []rune(reason), a.Args[at].MaxLength; most > 0 && len(r) > most {
		reason = string(r[:most])
	}
	values["reason"] = mustJSON(reason)
	return mustJSON(values)
}

// sourceRef says which documents, and which lines of them, a generate draws from;
// nil when the payload does not say.
func sourceRef(payload json.RawMessage) json.RawMessage {
	var g schema.Generate
	if json.Unmarshal(payload, &g) != nil || g.SourceForm == "" {
		return nil
	}
	ref := map[string]any{"form": g.SourceForm, "sources": g.Sources}
	if len(g.Lines) > 0 {
		ref["lines"] = g.Lines
	}
	return mustJSON(ref)
}
