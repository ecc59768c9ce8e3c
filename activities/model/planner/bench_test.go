package planner

import (
	"testing"

	"github.com/tmc/langchaingo/llms"
)

func BenchmarkPlan(b *testing.B) {
	p := New(0)
	m := []llms.MessageContent{llms.TextParts(llms.ChatMessageTypeHuman, "华东客户有哪些？")}
	for b.Loop() {
		if _, err := p.GenerateContent(b.Context(), m); err != nil {
			b.Fatal(err)
		}
	}
}
