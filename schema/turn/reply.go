package turn

import "github.com/erpilot/erpilot/schema/tool"

// Finish tells why the model stopped.
type Finish string

const (
	// FinishStop is a complete reply.
	FinishStop Finish = "stop"
	// FinishCalls is a reply that asks for tools.
	FinishCalls Finish = "tool_calls"
	// FinishLength is a reply cut at its token limit. Its calls are never run.
	FinishLength Finish = "length"
	// FinishFiltered is a reply withheld by the provider.
	FinishFiltered Finish = "content_filter"
)

// Usage counts tokens as the provider reports them; zero means not reported.
type Usage struct {
	InputTokens  int `json:"input_tokens"`
	OutputTokens int `json:"output_tokens"`
}

// Reply is one whole answer of a model.
type Reply struct {
	// Text is what the person reads; it may be empty when calls are asked for.
	Text string `json:"text"`
	// Reasoning is the model's own thinking where a provider sends it apart. It
	// is shown folded, never stored as an answer, never sent back.
	Reasoning string        `json:"reasoning,omitempty"`
	Calls     []RequestCall `json:"calls,omitempty"`
	Usage     Usage         `json:"usage"`
	Finish    Finish        `json:"finish"`
	// Model names what answered, for the audit and the label on the screen.
	Model string `json:"model"`
}

// RequestCall is one tool call as the model asked for it, arguments untouched.
type RequestCall struct {
	// ProviderID pairs request and result on the wire. It is made unique within
	// the turn by whoever parsed the reply; it is not our call_id.
	ProviderID string `json:"provider_id"`
	Tool       string `json:"tool"`
	// Arguments are the raw bytes as sent; they may be malformed. They are
	// never repaired and never replaced by {}.
	Arguments string `json:"arguments"`
}

// Entry is one element of a transcript that is sent to a model.
type Entry struct {
	Role Role `json:"role"`
	// Text of a user or assistant entry.
	Text string `json:"text,omitempty"`
	// Calls of an assistant entry; each is followed by exactly one RoleTool entry.
	Calls []RequestCall `json:"calls,omitempty"`
	// ProviderID and Tool of a RoleTool entry; Text is the result.
	ProviderID string `json:"provider_id,omitempty"`
	Tool       string `json:"tool,omitempty"`
}

// Role is who speaks in an Entry.
type Role string

const (
	RoleUser      Role = "user"
	RoleAssistant Role = "assistant"
	RoleTool      Role = "tool"
)

// Request is all that a model gets for one step.
type Request struct {
	System  string
	Entries []Entry
	Tools   []tool.Tool
	// MaxOutputTokens bounds the reply; zero means the provider's default.
	MaxOutputTokens int
}
