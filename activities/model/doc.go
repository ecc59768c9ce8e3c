// Package model asks language models: the port Model, its providers through
// langchaingo, the check of tool calls and the prompt.
//
// # Design
//
// langchaingo is the vocabulary (llms types, provider clients) and not the
// contract. The port is Generate(ctx, Request, Sink) (Reply, error). Between the
// two stand a wrapper above langchaingo (this package) and an HTTP client below
// it (package repair), which reads the providers' streams itself.
//
//	Generate ─ messages, tools ─▶ langchaingo ─ HTTP ─▶ repair.Client ─▶ provider
//	    ▲                                                   │ deltas ─▶ Sink
//	    └── merge, distinct, outcome ◀── one whole answer ◀─┘
//
// The demo planner (package planner) is a rule-based llms.Model behind the same
// port; it speaks to no server.
//
// # Failure handling
//
// Each call ends in a reply that the provider finished, in a *fault.Error or in
// the caller's ctx.Err(). Nothing is retried here. Arguments of calls are not
// looked at by Generate: a malformed call is a reply, and Validate tells the
// model what is wrong with it.
//
// # Intentional
//
//   - langchaingo is always asked for a whole answer; streaming is between the
//     repairing client and the provider.
//   - Tool results of parallel calls go to langchaingo one by one, because its
//     clients take one each; the repairing client joins them for Anthropic.
//   - A transcript is made pairable before it is sent: a call without a result
//     gets one that says so, because every provider refuses it otherwise, for ever.
//   - Malformed arguments of an earlier call are quoted back to the model; they
//     are never shown as {}.
//   - Numbers in arguments must survive RFC 8785 (IEEE doubles) unchanged, or the
//     model is asked to send them as strings.
//   - The schemas sent to providers lack the top-level if, anyOf and allOf, which
//     OpenAI and Anthropic refuse; Validate checks them.
//
// # Rejected
//
//   - langchaingo's agents, chains and native Ollama client (no tools).
//   - Repairing arguments (closing brackets, single quotes): a guess is no order.
package model
