//go:build unix

package bench

import (
	"context"
	"strings"

	"github.com/erpilot/erpilot/activities/model"
	"github.com/erpilot/erpilot/schema/tool"
	"github.com/erpilot/erpilot/schema/turn"
)

// What people say in this benchmark.
const (
	// sayHello is answered at once.
	sayHello = "你好"
	// sayRead takes two model calls and one read.
	sayRead = "有多少客户？"
	// sayOrder takes a draft, a proposal, a confirmation and a closing word.
	sayOrder = "给 C-0001 下一张订单：1 箱 P-0001"
)

// instant is a model that takes no time: what it says follows from the last
// message of the person and the last result.
type instant struct{}

var _ model.Model = instant{}

func (instant) Name() string { return "instant" }
func (instant) Demo() bool   { return true }

func (instant) Generate(_ context.Context, req turn.Request, sink model.Sink) (turn.Reply, error) {
	said, last := "", turn.Entry{}
	for _, e := range req.Entries {
		if e.Role == turn.RoleUser {
			said = e.Text
		}
		last = e
	}
	switch {
	case said == sayRead && last.Role == turn.RoleUser:
		return ask(tool.ReadForm, `{"form":"customer","mode":"count"}`)
	case said == sayOrder && last.Role == turn.RoleUser:
		return ask(tool.SaveDraft, `{"form":"sales_order","values":{"customer":"C-0001","lines":[{"product":"P-0001","quantity":1}]}}`)
	case last.Tool == tool.SaveDraft:
		_, id, _ := strings.Cut(last.Text, `"draft_id": "`)
		id, _, _ = strings.Cut(id, `"`)
		return ask(tool.ProposeWrite, `{"form":"sales_order","action":"create","draft_id":"`+id+`","draft_revision":1}`)
	}
	const text = "好的，已经完成。"
	if sink != nil {
		sink.Text(text)
	}
	return turn.Reply{Text: text, Finish: turn.FinishStop, Model: "instant"}, nil
}

func ask(name, arguments string) (turn.Reply, error) {
	return turn.Reply{Calls: []turn.RequestCall{{ProviderID: "c1", Tool: name, Arguments: arguments}}, Finish: turn.FinishCalls, Model: "instant"}, nil
}
