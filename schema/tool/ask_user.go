package tool

// AskUser puts a question to the person and waits for the answer.
const AskUser = "ask_user"

// AskUserVersion is the schema version of AskUser.
const AskUserVersion = 1

// MaxOptions caps the options of one question.
const MaxOptions = 8

// AskUserArgs are the arguments of AskUser.
type AskUserArgs struct {
	Question string `json:"question"`
	// Options to choose from, at most MaxOptions; empty only with free text.
	Options []string `json:"options"`
	// AllowFreeText lets the person answer in own words.
	AllowFreeText bool `json:"allow_free_text"`
}

const askUserSchema = `{
  "type": "object",
  "properties": {
    "question": {"type": "string", "minLength": 1, "maxLength": 1000},
    "options": {"type": "array", "maxItems": 8, "uniqueItems": true, "items": {"type": "string", "minLength": 1, "maxLength": 200}},
    "allow_free_text": {"type": "boolean"}
  },
  "required": ["question", "options", "allow_free_text"],
  "anyOf": [
    {"properties": {"options": {"minItems": 1}}},
    {"properties": {"allow_free_text": {"const": true}}}
  ],
  "additionalProperties": false
}`
