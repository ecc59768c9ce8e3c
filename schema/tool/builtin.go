package tool

import (
	"embed"
	"encoding/json"
)

// descriptions are the texts that the model reads, one Markdown file per tool.
//
//go:embed *.md
var descriptions embed.FS

// Builtin returns the tools that every deployment offers, in prompt order. Each
// call returns fresh memory; a caller may append to it or drop entries.
func Builtin() Catalogue {
	return Catalogue{
		entry(FindForms, Read, FindFormsVersion, findFormsSchema),
		entry(ReadForm, Read, ReadFormVersion, readFormSchema),
		entry(AskUser, Ask, AskUserVersion, askUserSchema),
		entry(CollectForm, Ask, CollectFormVersion, collectFormSchema),
		entry(SaveDraft, Draft, SaveDraftVersion, saveDraftSchema),
		entry(ProposeWrite, Write, ProposeWriteVersion, proposeWriteSchema),
	}
}

// entry panics when the description is missing: the file belongs to the tool.
func entry(name string, effect Effect, version int, schema string) Tool {
	text, err := descriptions.ReadFile(name + ".md")
	if err != nil {
		panic("tool: no description for " + name)
	}
	return Tool{
		Name: name, Description: string(text), Effect: effect,
		SchemaVersion: version, Parameters: json.RawMessage(schema),
	}
}
