package event

import (
	"encoding/json"
	"strconv"
	"time"
)

// Frame is one AG-UI event as it is sent, without the SSE envelope.
type Frame map[string]any

// Custom wraps an ERP thing for AG-UI; name is "erpilot.<name>".
func Custom(name string, value any) Frame {
	return Frame{"type": "CUSTOM", "name": "erpilot." + name, "value": value}
}

// RunID names a segment of a turn for AG-UI.
func RunID(turnID string, segment int) string {
	return turnID + "." + strconv.Itoa(max(segment, 1))
}

// Wire returns the AG-UI frames of a stored event, in order. The SSE id (seq)
// belongs on the last one: a client that loses the connection between two of
// them gets the whole group again, and every frame replaces by its id.
//
// Unknown types become CUSTOM frames: a newer worker must not break an older
// gateway. Malformed data is an error.
func Wire(e Event) ([]Frame, error) {
	at := e.At.UnixMilli()
	switch e.Type {
	case TurnStarted:
		var d Started
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return nil, err
		}
		frames := []Frame{Custom("user_message", map[string]any{"turn_id": e.TurnID, "message_id": d.MessageID, "text": d.Text,
			"answers": d.Answers, "n": d.N, "queued": d.Queued, "at": e.At})}
		if d.Queued {
			return frames, nil
		}
		return append(frames, started(e, 1, at)), nil
	case TurnResumed:
		var d Run
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return nil, err
		}
		return []Frame{started(e, d.Segment, at)}, nil
	case TurnSuspended:
		var d Suspended
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return nil, err
		}
		return []Frame{{"type": "RUN_FINISHED", "threadId": e.ConversationID, "runId": RunID(e.TurnID, d.Segment), "timestamp": at,
			"outcome": map[string]any{"type": "interrupt", "interrupts": interrupts(d.Waiting)}}}, nil
	case TurnEnded:
		return ended(e, at)
	case MessageStored:
		var d Message
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return nil, err
		}
		return []Frame{
			{"type": "TEXT_MESSAGE_START", "messageId": d.MessageID, "role": "assistant"},
			{"type": "TEXT_MESSAGE_CONTENT", "messageId": d.MessageID, "delta": d.Text},
			{"type": "TEXT_MESSAGE_END", "messageId": d.MessageID},
			Custom("message", map[string]any{"turn_id": e.TurnID, "message_id": d.MessageID, "step": d.Step, "text": d.Text,
				"reasoning": d.Reasoning, "model": d.Model, "at": e.At}),
		}, nil
	case ToolStarted:
		var d Tool
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return nil, err
		}
		return []Frame{
			{"type": "TOOL_CALL_START", "toolCallId": d.CallID, "toolCallName": d.Tool, "parentMessageId": d.MessageID},
			{"type": "TOOL_CALL_ARGS", "toolCallId": d.CallID, "delta": d.Arguments},
			{"type": "TOOL_CALL_END", "toolCallId": d.CallID},
			Custom("tool_started", withTurn(e)),
		}, nil
	case ToolFinished:
		var d ToolDone
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return nil, err
		}
		content, err := json.Marshal(map[string]any{"status": d.Status, "code": d.Code, "summary": d.Summary, "rows": d.Rows})
		if err != nil {
			return nil, err
		}
		return []Frame{
			{"type": "TOOL_CALL_RESULT", "messageId": "result-" + d.CallID, "toolCallId": d.CallID, "content": string(content), "role": "tool"},
			Custom("tool_finished", withTurn(e)),
		}, nil
	case QuestionAsked:
		var d Question
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return nil, err
		}
		return []Frame{activity(d.PendingID, "question", withTurn(e))}, nil
	case FormAsked:
		var d Form
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return nil, err
		}
		return []Frame{activity(d.PendingID, "form", withTurn(e))}, nil
	case WriteProposal:
		var d struct {
			OpID string `json:"op_id"`
		}
		if err := json.Unmarshal(e.Data, &d); err != nil {
			return nil, err
		}
		return []Frame{activity(d.OpID, "write_proposal", withTurn(e))}, nil
	case OperationChanged, OperationResult:
		return operationFrames(e)
	default:
		return []Frame{Custom(string(e.Type), withTurn(e))}, nil
	}
}

func started(e Event, segment int, at int64) Frame {
	return Frame{"type": "RUN_STARTED", "threadId": e.ConversationID, "runId": RunID(e.TurnID, segment), "timestamp": at}
}

func ended(e Event, at int64) ([]Frame, error) {
	var d Ended
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return nil, err
	}
	run := RunID(e.TurnID, d.Segment)
	last := Frame{"type": "RUN_FINISHED", "threadId": e.ConversationID, "runId": run, "timestamp": at,
		"outcome": map[string]any{"type": "success"}}
	switch d.Status {
	case "stopped":
		last["outcome"] = map[string]any{"type": "cancelled"}
	case "failed", "limit":
		last = Frame{"type": "RUN_ERROR", "code": string(d.Code), "message": string(d.Code), "runId": run, "timestamp": at}
	}
	return []Frame{Custom("turn_ended", withTurn(e)), last}, nil
}

func operationFrames(e Event) ([]Frame, error) {
	var d OpState
	if err := json.Unmarshal(e.Data, &d); err != nil {
		return nil, err
	}
	patch := []map[string]any{}
	if d.Status != "" {
		patch = append(patch, map[string]any{"op": "replace", "path": "/status", "value": d.Status})
	}
	if d.ReplacedBy != "" { // the status stays as it is
		patch = append(patch, map[string]any{"op": "add", "path": "/replaced_by", "value": d.ReplacedBy})
	}
	return []Frame{
		{"type": "ACTIVITY_DELTA", "messageId": d.OpID, "activityType": "erpilot.write_proposal", "patch": patch},
		Custom(string(e.Type), withTurn(e)),
	}, nil
}

func activity(id, name string, content any) Frame {
	return Frame{"type": "ACTIVITY_SNAPSHOT", "messageId": id, "activityType": "erpilot." + name, "content": content, "replace": true}
}

// withTurn adds turn_id, seq and at to an event's data.
func withTurn(e Event) map[string]any {
	value := map[string]any{}
	if err := json.Unmarshal(e.Data, &value); err != nil || value == nil {
		value = map[string]any{}
	}
	value["turn_id"] = e.TurnID
	value["seq"] = e.Seq
	value["at"] = e.At.UTC().Format(time.RFC3339Nano)
	return value
}

// interrupts are what AG-UI clients show as open: id, kind, deadline.
func interrupts(waiting []WaitingFor) []map[string]any {
	list := make([]map[string]any, 0, len(waiting))
	for _, w := range waiting {
		reason := "input_required"
		if w.Kind == "approval" {
			reason = "tool_call"
		}
		list = append(list, map[string]any{"id": w.PendingID, "reason": reason, "toolCallId": w.CallID,
			"expiresAt": w.Deadline.UTC().Format(time.RFC3339), "metadata": map[string]any{"kind": w.Kind, "op_id": w.OpID}})
	}
	return list
}

// WireDelta is the frame of a delta: AG-UI content for text, CUSTOM for
// reasoning. It carries no SSE id. Offset and attempt let our page place it.
func WireDelta(d Delta) Frame {
	if d.Reasoning {
		return Custom("reasoning", map[string]any{"turn_id": d.TurnID, "message_id": d.MessageID, "attempt": d.Attempt,
			"offset": d.Offset, "delta": d.Text})
	}
	return Frame{"type": "TEXT_MESSAGE_CONTENT", "messageId": d.MessageID, "delta": d.Text,
		"rawEvent": map[string]any{"turn_id": d.TurnID, "attempt": d.Attempt, "offset": d.Offset}}
}
