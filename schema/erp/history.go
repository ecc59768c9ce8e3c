package erp

import (
	"encoding/json"
	"time"
)

// HistoryEntry is one change of a record, as its page shows it.
type HistoryEntry struct {
	// Version is the record's version after the change.
	Version int64     `json:"version"`
	At      time.Time `json:"at"`
	// Actor is the user id of the person in whose name it was written.
	Actor string `json:"actor"`
	// ActorName is the person's name in the reader's language.
	ActorName string `json:"actor_name,omitempty"`
	// Channel is how it came: native, web, chat, temporal, …
	Channel string `json:"channel"`
	Action  string `json:"action"`
	// ActionLabel is the verb of the button.
	ActionLabel Label `json:"action_label,omitzero"`
	// OpID is the proposal behind it; empty for what was keyed in by hand.
	OpID string `json:"op_id,omitempty"`
	// Diffs are the fields that changed.
	Diffs []Diff `json:"diffs,omitempty"`
	// Comment is the reason that was given.
	Comment string `json:"comment,omitempty"`
}

// Governed removes from a payload what a person may alter in the native form
// without asking again, so that two payloads can be compared. It refuses what is
// no JSON object.
func (f Form) Governed(payload json.RawMessage) (map[string]json.RawMessage, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(payload, &values); err != nil {
		return nil, err
	}
	for _, x := range f.Fields {
		if x.Ungoverned {
			delete(values, x.Name)
		}
	}
	return values, nil
}
